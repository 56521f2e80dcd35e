import type { Principal } from "@x/agentic-service"
import type { Authenticate } from "@x/mcp-adapter/http"
import type { Gateway } from "./create-gateway.js"

/**
 * Creates the authentication of a gateway with `callers`: each request needs one caller's bearer token. Once a token is removed
 * from the configuration, it is rejected, and its open streams end within a minute. Returns `undefined` if the configuration
 * has no callers.
 *
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveHttp } from "@x/mcp-adapter/http"
 * import { createGateway, signCallers } from "@x/mcp-upstream/node"
 *
 * const gateway = createGateway({ mcpServers: {}, callers: { ada: { token: "a-long-random-secret" } } })
 * const adapter = createMcpAdapter(gateway.service, gateway.adapterOptions)
 * const authenticate = await signCallers(gateway)
 * const server = await serveHttp(adapter, { port: 0, ...(authenticate && { authenticate }) })
 * console.log((await fetch(server.url, { method: "POST" })).status) // 401
 * await server.close()
 * adapter.close()
 * await gateway.close()
 * ```
 */
export async function signCallers(gateway: Pick<Gateway, "callers">): Promise<Authenticate | undefined> {
  if (gateway.callers() === undefined) return undefined
  // A gateway over standard input and output does not load HTTP.
  const { bearerToken } = await import("@x/mcp-adapter/http")
  let callers: ReturnType<Gateway["callers"]>
  let known: readonly Authenticate[] = []
  const renew = (): readonly Authenticate[] => {
    const now = gateway.callers()
    if (now !== callers)
      known = Object.entries(now ?? {}).map(([id, caller]) => bearerToken(caller.token, toPrincipal(id, caller)))
    callers = now
    return known
  }
  const nobody = bearerToken(crypto.randomUUID())
  const find = async (head: Parameters<Authenticate>[0]): Promise<Principal | undefined> => {
    // All tokens are compared, so that the duration reveals nothing.
    const answers = await Promise.all(renew().map((each) => each(head)))
    return answers.find(isPrincipal)
  }
  return async (head) => {
    const principal = await find(head)
    if (principal === undefined) return nobody(head)
    return { principal, holds: async () => (await find(head)) !== undefined }
  }
}

function toPrincipal(id: string, { claims, scopes }: NonNullable<ReturnType<Gateway["callers"]>>[string]): Principal {
  return { id, ...(scopes && { scopes }), ...(claims && { claims }) }
}

function isPrincipal(answer: object): answer is Principal {
  return "id" in answer
}
