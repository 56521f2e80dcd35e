import { realpathSync } from "node:fs"
import { pathToFileURL } from "node:url"
import { createAgenticService, link } from "@x/agentic-service"
import type { MemberFailure } from "@x/agentic-service/adapter"
import type { EndpointOptions } from "@x/mcp-adapter"
import { defer, merge, of, Subject } from "rxjs"
import type { RunOptions } from "../run-options.js"
import { runService } from "../run-service.js"
import { type Agent, isAgent } from "./agent.js"
import { createAgentActions } from "./agent-actions.js"
import type { AgentDefinition, PlainDefinition } from "./agent-definition.js"
import type { AgentOptions } from "./agent-option.js"
import { checkDefinition, createAgentRuntime } from "./agent-runtime.js"
import type { AgentSettings } from "./settings.js"

/**
 * Defines an agent: an agentic service with an action of the same name, and one for each further tool. {@link runAgent} runs it
 * as a command. It can be served, linked and closed like any service.
 *
 * @throws CliError `invalid_definition` if its name cannot be called, two tools share a name, a description is missing, or an
 * option is unknown or invalid.
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
  const Settings extends AgentSettings = Readonly<Record<never, never>>,
>(definition: AgentDefinition<Options, Handles, Required, Settings>): Agent
export function defineAgent(definition: PlainDefinition): Agent {
  checkDefinition(definition)
  const { name, version = "0.0.0", description, mcpSupported = true } = definition
  const agents = Object.entries(definition.agents ?? {})
  const linked = new Map(agents.map(([key, agent]) => [key, typeof agent === "function" ? agent : () => agent]))
  const isPublished = toFilter(definition.publishAgents)
  const runtime = createAgentRuntime(definition)
  const heard = new Subject<MemberFailure>()
  const actions = createAgentActions(definition, { linked, runtime, heard, isPublished, self: () => agent })
  const links = [...linked]
    .filter(([key]) => isPublished(key))
    .map(([key, find]) => [key, link({ service: defer(() => of(find())) })] as const)
  const service = createAgenticService({ name, description, actions, links: Object.fromEntries(links) })
  const others = (): readonly Agent[] => [...linked.values()].map((find) => find()).filter(isAgent)
  // Agents may link to each other in cycles.
  let configuring = false
  let stopping = false
  const agent: Agent = {
    ...service,
    failures: merge(service.failures, heard),
    version,
    mcpSupported,
    primary: name,
    settings: definition.config && toFlaggable(definition.config),
    async configure(options = {}) {
      if (configuring) return
      configuring = true
      try {
        await runtime.configure(options)
        for (const other of others()) await other.configure({ variables: options.variables })
      } finally {
        configuring = false
      }
    },
    start: async () => void (await runtime.start()),
    async stop() {
      if (stopping) return
      stopping = true
      await runtime.stop()
      for (const other of others()) await other.stop()
      stopping = false
    },
  }
  return agent
}

function toFilter(published: PlainDefinition["publishAgents"] = false): (key: string) => boolean {
  return typeof published === "boolean" ? () => published : (key) => published.includes(key)
}

/** Returns the settings that flags can set, with their descriptions. */
function toFlaggable(settings: AgentSettings): Agent["settings"] {
  const open = Object.entries(settings).filter(([, { secret }]) => secret !== true)
  return Object.fromEntries(open.map(([key, { description = "" }]) => [key, description]))
}

/** Options for running an agent, without those that the agent defines itself. */
export type RunAgentOptions = Omit<
  RunOptions,
  "name" | "version" | "description" | "primary" | "mcpSupported" | "settings" | "configure" | "onStart" | "onExit"
>

/**
 * Runs an agent as a command if its module is the started program. Importing the module does nothing. Without a named action,
 * the agent's own action runs. Its MCP server lists its tools only, unless the options add more.
 *
 * The command begins after the module has been evaluated, and then ends the process. With `exit: false` it begins at once, and
 * the promise resolves when it is finished. In a bundle, where all modules are one, the last call wins.
 *
 * @param module - `import.meta` of the agent's file.
 * @throws CliError `invalid_definition` for an unknown or invalid option.
 * @example
 * ```ts
 * import { defineAgent, runAgent } from "@x/service-cli"
 *
 * const agent = defineAgent({ name: "echo", description: "Echoes", execute: ({ input }) => ({ result: input }) })
 * await runAgent(agent, import.meta) // node echo.js --context hello; node echo.js --mcp
 * ```
 */
export async function runAgent(agent: Agent, module: ProgramModule, options: RunAgentOptions = {}): Promise<void> {
  if (!isMain(module)) return
  const { name, version, description, primary, mcpSupported, settings } = agent
  const said = { name, version, primary, mcpSupported, ...(description !== undefined && { description }) }
  const start: () => Promise<unknown> = () =>
    runService(agent, process.argv, {
      ...options,
      ...said,
      stdio: toolsOnly(options.stdio),
      http: toolsOnly(options.http),
      ...(settings && { settings }),
      configure: agent.configure,
      onStart: agent.start,
      onExit: agent.stop,
    })
  if (options.exit === false) return void (await start())
  asking.set(module.url, start)
  void runLast(module.url)
}

/** The `import.meta` of a module. */
export interface ProgramModule {
  /** The module's URL. */
  readonly url: string
  /** Whether it is the started program; absent if the runtime does not say. */
  readonly main?: boolean
}

/** Returns endpoint options that list the agent's tools only, unless the options add more. */
function toolsOnly<Options extends Pick<EndpointOptions, "states" | "tools">>(options?: Options) {
  return { states: "omit" as const, ...options, tools: { runAction: false, listLinks: false, ...options?.tools } }
}

/** Whether a module is the started program, possibly through a symbolic link such as those in `node_modules/.bin`. */
function isMain({ url, main }: ProgramModule): boolean {
  // If the runtime says so, it is right: a compiled program has no path to compare.
  if (main !== undefined) return main
  const [, program] = process.argv
  if (program === undefined) return false
  try {
    return pathToFileURL(realpathSync(program)).href === url
  } catch {
    // Node also accepts a program name without its extension.
    return [".js", ".mjs", ".ts"].some((extension) => pathToFileURL(`${program}${extension}`).href === url)
  }
}

/** The agents to run, by module. In a bundle all share one module, and the last caller imports the others. */
const asking = new Map<string, () => Promise<unknown>>()

/** Runs the last caller's agent after the module has been evaluated. */
async function runLast(url: string): Promise<void> {
  await import(url)
  const last = asking.get(url)
  asking.delete(url)
  await last?.()
}
