import type { Client, Resource, Tool } from "@modelcontextprotocol/client"
import type { JsonSchema } from "@x/agentic-service"
import { fromBase64 } from "@x/base"
import { TestingError } from "./testing-error.js"

/** Everything that a model sees without calling a tool. */
export interface SeenByModel {
  /** The server's instructions, if any. */
  readonly instructions?: string
  /** The tools by name, in list order. */
  readonly tools: Readonly<Record<string, SeenTool>>
  /** The states by path and key, in list order. */
  readonly states: Readonly<Record<string, SeenState>>
}

/** A listed tool. */
export interface SeenTool {
  /** The title for people. */
  readonly title?: string
  /** The description. */
  readonly description: string
  /** The published input schema. */
  readonly input: JsonSchema
  /** The published output schema, if any. */
  readonly output?: JsonSchema
  /** MCP's annotations. */
  readonly hints: Readonly<Record<string, unknown>>
}

/** A listed state with its value. */
export interface SeenState {
  /** The description. */
  readonly description?: string
  /** The media type. */
  readonly mimeType?: string
  /** The value: parsed JSON, a string for other media types, or bytes for binary content. */
  readonly value: unknown
}

/** Lists and reads everything. */
export async function look(client: Client): Promise<SeenByModel> {
  const instructions = client.getInstructions()
  const tools = await listTools(client)
  const states = (await listStates(client)).map(
    async (state) => [state.name, await toSeenState(client, state)] as const,
  )
  return {
    ...(instructions !== undefined && { instructions }),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, toSeenTool(tool)])),
    states: Object.fromEntries(await Promise.all(states)),
  }
}

/** Returns the listed tools. */
export async function listTools(client: Client): Promise<readonly Tool[]> {
  return (await client.listTools(undefined, { cacheMode: "refresh" })).tools
}

/** Returns the listed states; none if states are not resources. */
export async function listStates(client: Client): Promise<readonly Resource[]> {
  if (client.getServerCapabilities()?.resources === undefined) return []
  return (await client.listResources(undefined, { cacheMode: "refresh" })).resources
}

/**
 * Reads a state, given its path and key or its URI.
 *
 * @throws TestingError `unknown_state`.
 */
export async function readState(client: Client, state: string): Promise<unknown> {
  const states = await listStates(client)
  const found = states.find(({ name, uri }) => name === state || uri === state)
  if (found !== undefined) return readValue(client, found.uri)
  const names = states.map(({ name }) => name).join(", ") || "none"
  throw new TestingError(`there is no state "${state}" now; there are: ${names}`, { code: "unknown_state" })
}

/** Converts a tool to a test's terms. */
export function toSeenTool({ title, description = "", inputSchema, outputSchema, annotations = {} }: Tool): SeenTool {
  return {
    ...(title !== undefined && { title }),
    description,
    input: inputSchema,
    ...(outputSchema !== undefined && { output: outputSchema }),
    hints: { ...annotations },
  }
}

async function toSeenState(client: Client, { uri, description, mimeType }: Resource): Promise<SeenState> {
  return {
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    value: await readValue(client, uri),
  }
}

async function readValue(client: Client, uri: string): Promise<unknown> {
  const { contents } = await client.readResource({ uri }, { cacheMode: "bypass" })
  const values = contents.map((part) => {
    if ("blob" in part) return fromBase64(part.blob)
    return /[/+]json\b/.test(part.mimeType ?? "") ? JSON.parse(part.text) : part.text
  })
  return values.length === 1 ? values[0] : values
}
