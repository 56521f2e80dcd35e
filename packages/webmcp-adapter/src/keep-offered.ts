import type { AgenticService } from "@x/agentic-service"
import { createMcpAdapter, type McpAdapter, type StateEntry } from "@x/mcp-adapter"
import { createEndpoint, createToolNamer, formatPath } from "@x/mcp-adapter/binding"
import { formatPointer, isRecord } from "@x/tool-schemas/json"
import type { BehaviorSubject } from "rxjs"
import { type CallSite, callTool } from "./call-tool.js"
import type { BrowserAnnotations, BrowserTool, ModelContext } from "./model-context.js"
import { createRegistrations, type Registrations } from "./registrations.js"
import { toAnswerSchema, toStateAnswer } from "./tool-answer.js"
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

/** The tools that a page offers at this moment: what can be called, and a reader for each state. */
async function readPageTools(site: CallSite, prefix: string): Promise<readonly BrowserTool[]> {
  const { handlers, view } = site.connection
  const listed = await handlers["tools/list"]?.({}, LISTING)
  const definitions: readonly unknown[] = Array.isArray(listed?.["tools"]) ? listed["tools"] : []
  const { states } = view.snapshot()
  return [
    ...definitions.filter(isRecord).map((definition) => toActionTool(site, definition, prefix)),
    ...states.map((entry) => toStateTool(site, entry, prefix)),
  ]
}

const LISTING = {
  client: "browser",
  leg: { transport: "webmcp", era: "modern" as const, notices: true },
  signal: new AbortController().signal,
  clientCapabilities: {},
}

function toActionTool(site: CallSite, definition: Readonly<Record<string, unknown>>, prefix: string): BrowserTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  const tool = String(name)
  const output = toAnswerSchema(isRecord(outputSchema) ? outputSchema : undefined)
  return {
    name: prefix + tool,
    ...(typeof title === "string" && { title }),
    // The browser refuses a tool that says nothing of itself.
    description: String(description ?? "") || tool,
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
    ...(output !== undefined && { outputSchema: output }),
    annotations: toAnnotations(annotations),
    execute: (input, context) => callTool(site, { tool, input, context }),
  }
}

/** MCP's hints in WebMCP's words. What reaches beyond the application brings back the words of others. */
function toAnnotations(annotations: unknown): BrowserAnnotations {
  const { readOnlyHint, destructiveHint, openWorldHint }: Readonly<Record<string, unknown>> = Object(annotations)
  return {
    readOnlyHint: readOnlyHint === true,
    consequentialHint: destructiveHint === true,
    untrustedContentHint: openWorldHint === true,
  }
}

const nameState = createToolNamer({ maxLength: 100 })

/** No action's name has a `.`, so a state's never is an action's. */
function toStateTool(site: CallSite, { path, key, definition }: StateEntry, prefix: string): BrowserTool {
  const toArguments = ({ pointer = "", ...rest }: Readonly<Record<string, unknown>>) => ({
    ...rest,
    path: formatPath(path),
    keys: [key],
    pointer: `${formatPointer([key])}${pointer}`,
  })
  return {
    name: `${prefix}state.${nameState(path, key).name}`,
    title: definition.title ?? definition.name,
    description: `Reads ${definition.name} as it is now${definition.description ? `: ${definition.description}` : ""}`,
    inputSchema: STATE_INPUT,
    annotations: { readOnlyHint: true, consequentialHint: false, untrustedContentHint: false },
    execute: (input, context) => callTool(site, { tool: "get_state", input, context, toArguments }, toStateAnswer),
  }
}

const STATE_INPUT = {
  type: "object",
  properties: {
    pointer: { type: "string", description: "Reads only what this JSON Pointer leads to, such as `/0/title`" },
    offset: { type: "integer", minimum: 0, description: "Reads on from this item, property or character" },
  },
  additionalProperties: false,
}
