import type { Principal } from "@x/agentic-service"
import type { AdapterCore } from "./adapter-core.js"
import type { CallContext } from "./calls/call-context.js"
import { toClosed } from "./calls/open-calls.js"
import type { View } from "./catalogue/view.js"
import type { McpAdapter } from "./create-adapter.js"

/** Using an adapter without a protocol: the same views and the same call path as any client has. */
export function createDirectAccess(
  { open, caller }: AdapterCore,
  closed: () => boolean,
): Pick<McpAdapter, "list" | "read" | "call"> {
  const within = async <Result>(
    principal: Principal | undefined,
    use: (view: View) => Result,
  ): Promise<Awaited<Result>> => {
    const { view, release } = open(principal)
    try {
      await view.ready
      return await use(view)
    } finally {
      release()
    }
  }
  return {
    list: (context) => within(context?.principal, (view) => view.snapshot()),
    read: (uri, context) =>
      within(context?.principal, (view) => {
        const state = view.state(uri)?.current()
        return state && { value: state.value }
      }),
    async call(name, args = {}, context = {}) {
      if (closed()) return { kind: "settled", outcome: toClosed(name), revision: 0 }
      return within(context.principal, (view) => caller(view)(name, args, { ...directContext(), ...context }))
    },
  }
}

function directContext(): CallContext {
  return {
    client: "direct",
    leg: { transport: "in-memory", era: "modern", notices: false },
    signal: new AbortController().signal,
    clientCapabilities: {},
  }
}
