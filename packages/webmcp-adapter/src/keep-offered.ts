import type { AgenticService } from "@x/agentic-service"
import { createMcpAdapter, type McpAdapter } from "@x/mcp-adapter"
import { createEndpoint } from "@x/mcp-adapter/binding"
import type { BehaviorSubject } from "rxjs"
import type { CallSite } from "./call-tool.js"
import type { ModelContext } from "./model-context.js"
import { readPageTools } from "./page-tools.js"
import { createRegistrations, type Registrations } from "./registrations.js"
import type { WebMcpOptions, WebMcpStatus } from "./webmcp-offer.js"

/** What an offer stands on. */
interface KeepOptions extends WebMcpOptions {
  /** Where tools are registered. */
  readonly context: ModelContext
  /** Aborts when the offer is taken back. */
  readonly closed: AbortSignal
  /** Where it says how it is doing. */
  readonly status: BehaviorSubject<WebMcpStatus>
}

/** Loaded where a browser has WebMCP: adapts the service as for any client, and keeps the document's tools in step with its list. */
export async function keepOffered(service: AgenticService | object, options: KeepOptions): Promise<void> {
  const { closed } = options
  if (closed.aborted) return
  const adapter = createMcpAdapter(service)
  const registrations = createRegistrations(options.context)
  const connection = connect(adapter)
  const site: CallSite = { connection, ask: options.ask, closed }
  const follow = createFollow(site, registrations, options)
  const heard = connection.view.notices.subscribe(({ kind }) => {
    if (kind === "tools" || kind === "resources") follow()
  })
  closed.addEventListener("abort", () => {
    heard.unsubscribe()
    registrations.close()
    connection.release()
    adapter.close()
  })
  await connection.view.ready()
  follow()
}

/** As for any client that learns of changes, without the tools for clients that do not. */
function connect(adapter: McpAdapter): CallSite["connection"] {
  const endpoint = createEndpoint(adapter, {
    states: "tool",
    tools: { runAction: false, pageSize: Number.MAX_SAFE_INTEGER },
  })
  return endpoint.open(undefined)
}

/** Brings the browser's tools in step, one time after the other: what changes meanwhile is the next time's. */
function createFollow(site: CallSite, registrations: Registrations, options: KeepOptions): () => void {
  const { status, closed, prefix = "" } = options
  let running = false
  let again = false
  const once = async (): Promise<void> => {
    const tools = await readPageTools(site, prefix)
    const { held, refused } = await registrations.sync(tools)
    if (closed.aborted) return
    const [first] = refused
    status.next(
      held === 0 && first?.all === true
        ? { state: "refused", reason: first.reason }
        : { state: "offered", tools: held, refused },
    )
  }
  const run = async (): Promise<void> => {
    running = true
    try {
      do {
        again = false
        await once()
      } while (again && !closed.aborted)
    } catch (thrown) {
      if (!closed.aborted) status.next({ state: "failed", reason: String(thrown) })
    } finally {
      running = false
    }
  }
  return () => {
    again = true
    if (!running) run().catch(() => undefined)
  }
}
