import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "@x/mcp-adapter"
import { createEndpoint, type ToolDefinition } from "@x/mcp-adapter/binding"
import { exposures } from "./exposures.js"
import type { ExposureOf } from "./frame.js"

/** The tools of the adapter's own, by the exposure that shows them. */
export type BuiltIns = Readonly<Record<ExposureOf, readonly ToolDefinition[]>>

/** Asks an endpoint of each exposure what it lists besides the actions. */
export async function readBuiltIns(adapter: McpAdapter, principal: Principal | undefined): Promise<BuiltIns> {
  const [dynamic = [], stable = [], meta = []] = await Promise.all(
    exposures.map((exposure) => readOwn(adapter, exposure, principal)),
  )
  return { dynamic, stable, meta }
}

async function readOwn(
  adapter: McpAdapter,
  exposure: ExposureOf,
  principal: Principal | undefined,
): Promise<readonly ToolDefinition[]> {
  const { view, handlers, release } = createEndpoint(adapter, { exposure, tools: { pageSize: 1_000_000 } }).open(
    principal,
  )
  try {
    const answer = await handlers["tools/list"]?.(
      {},
      {
        client: "live-view",
        leg: { transport: "in-memory", era: "modern", notices: false },
        signal: new AbortController().signal,
        clientCapabilities: {},
      },
    )
    // What our own handler answers to tools/list.
    const tools = (answer?.["tools"] ?? []) as readonly ToolDefinition[]
    return tools.filter(({ name }) => view.resolve(name).status === "unknown")
  } finally {
    release()
  }
}
