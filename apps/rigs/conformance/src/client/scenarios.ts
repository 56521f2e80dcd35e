import type { Client, Tool } from "@modelcontextprotocol/client"
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills"
import type { Player } from "./players.js"
import type { Context } from "./sign-in.js"

/** Plays a scenario with a connected client. */
export async function play(scenario: string, player: Player, context: Context): Promise<void> {
  if (scenario.startsWith("sep-2640-")) return readSkills(scenario, player)
  const { tools } = await player.attempt((client) => client.listTools())
  switch (scenario) {
    case "http-custom-headers":
      return callEach(player, asCalls(context["toolCalls"]))
    case "json-schema-2020-12-preservation":
      return echoSchema(player, tools)
    case "http-standard-headers":
      await callAll(player, tools)
      return readAll(player)
    default:
      return callAll(player, tools)
  }
}

interface Call {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** Calls every listed tool. A conforming client omits tools that must not be called from its list. */
function callAll(player: Player, tools: readonly Tool[]): Promise<void> {
  return callEach(
    player,
    tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool) })),
  )
}

async function callEach(player: Player, calls: readonly Call[]): Promise<void> {
  for (const call of calls) await player.attempt((client) => client.callTool({ ...call }))
}

function asCalls(value: unknown): readonly Call[] {
  if (!Array.isArray(value)) throw new Error("the scenario lists no calls")
  return value
}

/** Returns a value for each required argument. */
function argumentsOf({ inputSchema: { properties = {}, required = [] } }: Tool): Record<string, unknown> {
  const samples: Readonly<Record<string, unknown>> = { number: 3, integer: 3, boolean: true, array: [], object: {} }
  const sample = (schema: unknown): unknown => samples[String(Object(schema)["type"])] ?? "text"
  return Object.fromEntries(required.map((key) => [key, sample(properties[key])]))
}

async function echoSchema(player: Player, tools: readonly Tool[]): Promise<void> {
  const rich = tools.find(({ name }) => name === "json_schema_2020_12_tool")
  const schema = rich?.inputSchema
  await player.attempt((client) => client.callTool({ name: "json_schema_echo", arguments: { schema } }))
}

async function readAll({ attempt }: Player): Promise<void> {
  const { resources } = await attempt((client) => client.listResources())
  for (const { uri } of resources) await attempt((client) => client.readResource({ uri }))
  const { prompts } = await attempt((client) => client.listPrompts())
  for (const { name } of prompts) await attempt((client) => client.getPrompt({ name }))
}

/** Lists skills, and loads the first with its files, unless the scenario forbids reading unused skills. */
async function readSkills(scenario: string, { attempt }: Player): Promise<void> {
  await attempt(async (client: Client) => {
    const skills = new SkillsClient(client)
    const {
      skills: [first],
    } = await skills.list()
    if (scenario === "sep-2640-client-no-prefetch" || first === undefined) return
    await skills.read(first)
    if (first.resources !== "dynamic") for (const { uri } of first.resources) await skills.read(first, uri)
  })
}
