import type { StateEntry } from "@x/mcp-adapter"
import { createToolNamer, formatPath } from "@x/mcp-adapter/binding"
import { formatPointer, isRecord } from "@x/tool-schemas/json"
import { type CallSite, callTool } from "./call-tool.js"
import type { BrowserAnnotations, BrowserTool } from "./model-context.js"
import { toAnswerSchema, toStateAnswer } from "./tool-answer.js"

/** The tools that a page offers at this moment: what can be called, and a reader for each state. */
export async function readPageTools(site: CallSite, prefix: string): Promise<readonly BrowserTool[]> {
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
