import type { AgenticService } from "@x/agentic-service"
import { formatPointer, isRecord } from "@x/base"
import { createMcpAdapter, type McpAdapter, type StateEntry } from "@x/mcp-adapter"
import { createEndpoint, createToolNamer, formatPath } from "@x/mcp-adapter/binding"
import type { BehaviorSubject } from "rxjs"
import { type CallSite, callPageTool } from "./call-page-tool.js"
import type { BrowserAnnotations, BrowserTool, ModelContext } from "./model-context.js"
import { createRegistrations, type Registrations } from "./registrations.js"
import { toAnswerSchema, toStateAnswer } from "./tool-answer.js"
import type { WebMcpOptions, WebMcpStatus } from "./webmcp-offer.js"

/** The dependencies of an offer. */
interface KeepOptions extends WebMcpOptions {
  /** The browser's API. */
  readonly context: ModelContext
  /** Aborts when the offer is closed. */
  readonly closed: AbortSignal
  /** Receives the status. */
  readonly status: BehaviorSubject<WebMcpStatus>
}

/**
 * Adapts the service as for any client, and keeps the document's tools equal to its list. Imported only in browsers with
 * WebMCP.
 */
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

/** Connects like a client that receives changes, without the tools for clients that do not. */
function connect(adapter: McpAdapter): CallSite["connection"] {
  const endpoint = createEndpoint(adapter, {
    states: "tool",
    tools: { runAction: false, pageSize: Number.MAX_SAFE_INTEGER },
  })
  return endpoint.open(undefined)
}

/** Updates the browser's tools, one run at a time. Changes during a run cause another. */
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

/** Returns the tools to offer now: available actions, and a reader for each state. */
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
    // The browser rejects tools without a description.
    description: String(description ?? "") || tool,
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
    ...(output !== undefined && { outputSchema: output }),
    annotations: toAnnotations(annotations),
    execute: (input, context) => callPageTool(site, { tool, input, context }),
  }
}

/** Converts MCP's hints to WebMCP's. Results from outside the application are untrusted. */
function toAnnotations(annotations: unknown): BrowserAnnotations {
  const { readOnlyHint, destructiveHint, openWorldHint }: Readonly<Record<string, unknown>> = Object(annotations)
  return {
    readOnlyHint: readOnlyHint === true,
    consequentialHint: destructiveHint === true,
    untrustedContentHint: openWorldHint === true,
  }
}

const nameState = createToolNamer({ maxLength: 100 })

/** Creates the tool that reads a state. Its name contains a `.`, which no action's name does. */
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
    description: `Reads the current ${definition.name}${definition.description ? `: ${definition.description}` : ""}`,
    inputSchema: STATE_INPUT,
    annotations: { readOnlyHint: true, consequentialHint: false, untrustedContentHint: false },
    execute: (input, context) => callPageTool(site, { tool: "get_state", input, context, toArguments }, toStateAnswer),
  }
}

const STATE_INPUT = {
  type: "object",
  properties: {
    pointer: { type: "string", description: "Reads only the part at this JSON Pointer, such as `/0/title`" },
    offset: { type: "integer", minimum: 0, description: "Continues from this item, property or character" },
  },
  additionalProperties: false,
}
