import { createAgenticService, link } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { defer, of } from "rxjs"
import { CliError, expectOptions } from "../cli-error.js"
import { tell } from "../terminal/display.js"
import {
  type Agent,
  type AgentDefinition,
  type AgentServices,
  type AgentTool,
  isAgent,
  type PlainDefinition,
} from "./agent.js"
import { createAgentActions } from "./agent-actions.js"
import type { AgentOptions } from "./agent-option.js"

/**
 * Makes an agent of one definition: an agentic service with an action named exactly as the agent is, and one for each further
 * tool. {@link runAgent} makes it a command; it can be served, linked and closed as any service.
 *
 * @throws CliError `invalid_definition` when it could not be called by its name, two of its tools have one name, one says not
 * what it does, or it has an option that is none, or cannot be.
 * @example
 * ```ts
 * import { defineAgent } from "@x/service-cli"
 *
 * const agent = defineAgent({
 *   name: "shout",
 *   description: "Makes a text louder",
 *   options: { marks: { type: "integer", default: 1, description: "How many exclamation marks" } },
 *   execute: ({ input, options }) => ({ result: input.toUpperCase() + "!".repeat(options.marks) }),
 * })
 * console.log(await agent.execute("shout", { context: "tea" })) // { ok: true, value: 'TEA!' }
 * ```
 */
export function defineAgent<
  const Options extends AgentOptions = Readonly<Record<never, never>>,
  Handles = Readonly<Record<never, never>>,
  const Required extends string = never,
>(definition: AgentDefinition<Options, Handles, Required>): Agent
export function defineAgent(definition: PlainDefinition): Agent {
  checkDefinition(definition)
  const { name, version = "0.0.0", description, mcpSupported = true } = definition
  const agents = Object.entries(definition.agents ?? {})
  const linked = new Map(agents.map(([key, agent]) => [key, typeof agent === "function" ? agent : () => agent]))
  const keeper = createServiceKeeper(definition.services ?? {})
  const actions = createAgentActions(definition, { linked, keeper, self: () => agent })
  const links = [...linked].map(([key, find]) => [key, link({ service: defer(() => of(find())) })] as const)
  let stopping = false
  const agent: Agent = {
    ...createAgenticService({ name, description, actions, links: Object.fromEntries(links) }),
    version,
    mcpSupported,
    primary: name,
    start: async () => void (await keeper.start()),
    async stop() {
      // Agents may be linked in a circle.
      if (stopping) return
      stopping = true
      await keeper.stop()
      for (const find of linked.values()) {
        const other = find()
        if (isAgent(other)) await other.stop()
      }
      stopping = false
    },
  }
  return agent
}

/** Finds what would keep an agent from being called as its author means it. */
function checkDefinition(definition: PlainDefinition): void {
  const { name, tools = [], options = {}, required = [] } = definition
  expectOptions(`agent "${name}"`, definition, DEFINITION_RULES)
  expectDescribed(`agent "${name}"`, { description: definition.description, run: definition.execute })
  for (const tool of tools) {
    expectOptions(`tool "${tool.name}"`, tool, TOOL_RULES)
    expectDescribed(`tool "${tool.name}"`, { description: tool.description, run: tool.handler })
  }
  const names = [name, ...tools.map((tool) => tool.name)]
  const illegal = names.find((candidate) => !/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(candidate))
  if (illegal !== undefined) {
    throw invalid(
      `"${illegal}" names an agent or a tool`,
      'a letter or "_", then at most 63 letters, digits, "_" or "-"',
    )
  }
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index)
  if (twice !== undefined) throw invalid(`agent "${name}" has two tools "${twice}"`, "a name of its own for each")
  if ("context" in options) throw invalid(`agent "${name}" has an option "context"`, "another name: that is its text")
  const unknown = required.find((option) => !Object.hasOwn(options, option))
  if (unknown !== undefined) throw invalid(`agent "${name}" requires "${unknown}"`, "the name of an option")
}

/** A tool that nobody has described, or that does nothing, is left out of every list. */
function expectDescribed(
  owner: string,
  { description, run }: { readonly description: unknown; readonly run: unknown },
): void {
  if (typeof description !== "string" || description.trim() === "") {
    throw invalid(`${owner} has no "description"`, "what it does, for the model that chooses it")
  }
  if (typeof run !== "function") throw invalid(`${owner} has nothing to run`, "a function")
}

/** What a timer can wait, in milliseconds. */
const TIME = { from: 0, to: 2 ** 31 - 1 } as const

const DEFINITION_RULES: Record<keyof PlainDefinition, OptionRule> = {
  name: "text",
  version: "text",
  description: "text",
  contextDescription: "text",
  options: "object",
  required: "any",
  tools: "any",
  agents: "object",
  services: "object",
  mcpSupported: "flag",
  timeoutMs: TIME,
  invoke: { options: { depth: { from: 1, whole: true }, timeoutMs: TIME } },
  execute: "function",
}

const TOOL_RULES: Record<keyof AgentTool, OptionRule> = {
  name: "text",
  description: "text",
  inputSchema: "object",
  handler: "function",
}

function invalid(found: string, expected: string): CliError {
  return new CliError("invalid_definition", `${found}: expected ${expected}`)
}

/** What services handed out, by name. */
type Handles = Readonly<Record<string, unknown>>

/** Holds services that are started once for all. */
export interface ServiceKeeper {
  /** Starts them one after the other, unless they are; where one fails, those before it are stopped again. */
  start(): Promise<Handles>
  /** Stops them, the last started first; one that fails keeps none from being stopped. */
  stop(): Promise<void>
}

/** Nothing started yet. */
function createServiceKeeper(services: AgentServices<Handles>): ServiceKeeper {
  let started: Promise<Started> | undefined
  const start = (): Promise<Started> => {
    started ??= startAll(services).catch((error: unknown) => {
      started = undefined
      throw error
    })
    return started
  }
  return {
    start: async () => (await start()).handles,
    async stop() {
      const running = await started?.catch(() => undefined)
      started = undefined
      await running?.stop()
    },
  }
}

/** Services that run. */
interface Started {
  readonly handles: Handles
  stop(): Promise<void>
}

async function startAll(services: AgentServices<Handles>): Promise<Started> {
  const handles: Record<string, unknown> = {}
  const stops: { readonly name: string; readonly stop: () => void | PromiseLike<void> }[] = []
  const stop = async (): Promise<void> => {
    for (const last of stops.splice(0).reverse()) await tryToStop(last.name, last.stop)
  }
  for (const [name, service] of Object.entries(services)) {
    try {
      const handle = await service.start()
      handles[name] = handle
      stops.push({ name, stop: () => service.stop?.(handle) })
    } catch (cause) {
      await stop()
      throw notStarted(name, cause)
    }
  }
  return { handles, stop }
}

function notStarted(name: string, cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new CliError("unavailable", `service "${name}" could not be started: ${why}`, { cause })
}

async function tryToStop(name: string, stop: () => void | PromiseLike<void>): Promise<void> {
  try {
    await stop()
  } catch (cause) {
    tell(`service "${name}" could not be stopped`, cause instanceof Error ? cause.message : String(cause))
  }
}
