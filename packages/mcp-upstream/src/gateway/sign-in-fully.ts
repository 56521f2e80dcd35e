import { checkServer, type ServerReport } from "./check-gateway.js"
import type { GatewayServer } from "./gateway-config.js"
import { chosenScope, type SignInPage, type SignIns } from "./sign-in.js"
import { startServer } from "./start-server.js"

/** The most pages of one sign-in. */
const MOST_PAGES = 3

/** The result of a sign-in. */
export interface SignedIn {
  /** Requested scopes that the server did not grant. */
  readonly missing: readonly string[]
  /** The server's answer with the new token. */
  readonly report: ServerReport
}

/**
 * Signs in to one server, then connects to check the token. If the server then requires more scopes, opens another page for them, at most
 * three in all.
 *
 * @throws UpstreamError `unauthorized` if a sign-in is refused, or `signal` aborts.
 * @example
 * ```ts
 * import { createSecretsFile, createSignIns, signInFully } from "@x/mcp-upstream/node"
 *
 * // Signs in to a server, and says what it offers.
 * export async function signIn(url: string, open: (page: URL) => void) {
 *   const signIns = createSignIns(createSecretsFile("secrets.json"), (name) => `sign in to ${name}`)
 *   const page = { open, signal: AbortSignal.timeout(300_000) }
 *   const { report, missing } = await signInFully(signIns, { name: "docs", server: { url } }, page)
 *   return [report.message, ...missing]
 * }
 * ```
 */
export async function signInFully(
  signIns: SignIns,
  { name, server }: { readonly name: string; readonly server: GatewayServer },
  page: SignInPage,
): Promise<SignedIn> {
  const asked = new Set<string>()
  for (let pages = 1; ; pages += 1) {
    for (const scope of signIns.wanted(name, server)) asked.add(scope)
    const missing = await signIns.signIn(name, server, page)
    const report = await checkServer(name, startServer(name, server, { signIns }))
    const more = signIns.wanted(name, server).filter((scope) => !asked.has(scope))
    if (more.length === 0 || chosenScope(server) !== undefined || pages === MOST_PAGES) return { missing, report }
  }
}
