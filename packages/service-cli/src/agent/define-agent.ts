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
  // Agents may be linked in a circle.
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

/** The settings that flags can set, with what each is for. */
function toFlaggable(settings: AgentSettings): Agent["settings"] {
  const open = Object.entries(settings).filter(([, { secret }]) => secret !== true)
  return Object.fromEntries(open.map(([key, { description = "" }]) => [key, description]))
}

/** How an agent is run; what an agent says of itself cannot be changed here. */
export type RunAgentOptions = Omit<
  RunOptions,
  "name" | "version" | "description" | "primary" | "mcpSupported" | "settings" | "configure" | "onStart" | "onExit"
>

/**
 * Makes an agent a command, where its module is the program that was started; does nothing where it is imported. With no
 * action named, the agent itself runs. Its MCP server has its tools and nothing else, unless the options say otherwise.
 *
 * The command begins once the whole module has been evaluated, and the process ends with it, unless `exit` is `false`: then
 * it begins at once, and this resolves when it is over. In a bundle, where all modules are one, the last that asks is run.
 *
 * @param module - `import.meta` of the agent's file.
 * @throws CliError `invalid_definition` for an option that is none, or cannot be.
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

/** What a module knows of itself: its `import.meta`. */
export interface ProgramModule {
  /** Where it is. */
  readonly url: string
  /** Whether it is the program that was started, where the runtime says so. */
  readonly main?: boolean
}

/** The options of an endpoint that has the agent's tools and nothing else, unless they say otherwise. */
function toolsOnly<Options extends Pick<EndpointOptions, "states" | "tools">>(options?: Options) {
  return { states: "omit" as const, ...options, tools: { runAction: false, listLinks: false, ...options?.tools } }
}

/** Whether a module is the program that was started, also by a link to it, as those in `node_modules/.bin` are. */
function isMain({ url, main }: ProgramModule): boolean {
  // Runtimes that know it say so: a compiled program is at no path that could be looked at.
  if (main !== undefined) return main
  const [, program] = process.argv
  if (program === undefined) return false
  try {
    return pathToFileURL(realpathSync(program)).href === url
  } catch {
    // Node takes a program without its extension, too.
    return [".js", ".mjs", ".ts"].some((extension) => pathToFileURL(`${program}${extension}`).href === url)
  }
}

/** The agents that are to be run, by module: in a bundle all are in one, and the one that asks last imports the others. */
const asking = new Map<string, () => Promise<unknown>>()

/** Runs what asked last, once the whole module has been evaluated. */
async function runLast(url: string): Promise<void> {
  await import(url)
  const last = asking.get(url)
  asking.delete(url)
  await last?.()
}
