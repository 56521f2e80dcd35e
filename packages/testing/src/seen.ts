import type { Client, Resource, Tool } from "@modelcontextprotocol/client"
import type { JsonSchema } from "@x/agentic-service"
import { fromBase64 } from "@x/tool-schemas/json"
import { TestingError } from "./testing-error.js"

/** What a model gets to know without calling anything. */
export interface SeenByModel {
  /** What the server tells of itself; absent where it tells nothing. */
  readonly instructions?: string
  /** The tools, by name, in the order in which they are listed. */
  readonly tools: Readonly<Record<string, SeenTool>>
  /** The states, by path and key, in the order in which they are listed. */
  readonly states: Readonly<Record<string, SeenState>>
}

/** A tool as it is listed. */
export interface SeenTool {
  /** Its name for people. */
  readonly title?: string
  /** What it does. */
  readonly description: string
  /** What it takes, as it is published. */
  readonly input: JsonSchema
  /** What it answers, as it is published; absent where it does not say. */
  readonly output?: JsonSchema
  /** What it may do: MCP's annotations. */
  readonly hints: Readonly<Record<string, unknown>>
}

/** A state as it is listed and read. */
export interface SeenState {
  /** What it tells. */
  readonly description?: string
  /** Its media type. */
  readonly mimeType?: string
  /** Its value: what its JSON stands for, a text where its media type is another, bytes where it has bytes. */
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

/** The tools that are listed now. */
export async function listTools(client: Client): Promise<readonly Tool[]> {
  return (await client.listTools(undefined, { cacheMode: "refresh" })).tools
}

/** The states that are listed now; none where they are no resources. */
export async function listStates(client: Client): Promise<readonly Resource[]> {
  if (client.getServerCapabilities()?.resources === undefined) return []
  return (await client.listResources(undefined, { cacheMode: "refresh" })).resources
}

/**
 * Reads the state of a path and key, or of a URI.
 *
 * @throws TestingError `unknown_state`.
 */
export async function readState(client: Client, state: string): Promise<unknown> {
  const states = await listStates(client)
  const found = states.find(({ name, uri }) => name === state || uri === state)
  if (found !== undefined) return readValue(client, found.uri)
  const names = states.map(({ name }) => name).join(", ") || "none"
  throw new TestingError("unknown_state", `there is no state "${state}" now; there are: ${names}`)
}

/** A tool in the words of a test. */
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
