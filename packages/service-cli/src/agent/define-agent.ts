import { createAgenticService, type Hints, link } from "@x/agentic-service"
import type { MemberFailure } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/tool-schemas/json"
import { defer, merge, of, Subject } from "rxjs"
import { CliError, expectOptions } from "../cli-error.js"
import {
  type Agent,
  type AgentContextOptions,
  type AgentDefinition,
  type AgentTool,
  isAgent,
  type PlainDefinition,
} from "./agent.js"
import { createAgentActions } from "./agent-actions.js"
import type { AgentOptions } from "./agent-option.js"
import { createAgentRuntime } from "./agent-runtime.js"
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

const HINT_RULES: Record<keyof Hints, OptionRule> = {
  readOnly: "flag",
  destructive: "flag",
  idempotent: "flag",
  openWorld: "flag",
}

const SOME = { from: 1, whole: true } as const

const CONTEXT_RULES: Record<keyof AgentContextOptions, OptionRule> = {
  file: "text",
  noteBytes: SOME,
  notes: SOME,
  bytes: SOME,
  allBytes: SOME,
}

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
  publishAgents: "any",
  config: "object",
  environment: "any",
  context: { options: CONTEXT_RULES },
  mcpSupported: "flag",
  ...HINT_RULES,
  timeoutMs: TIME,
  invoke: { options: { depth: { from: 1, whole: true }, timeoutMs: TIME } },
  execute: "function",
}

const TOOL_RULES: Record<keyof AgentTool, OptionRule> = {
  name: "text",
  description: "text",
  inputSchema: "object",
  handler: "function",
  ...HINT_RULES,
}

function invalid(found: string, expected: string): CliError {
  return new CliError("invalid_definition", `${found}: expected ${expected}`)
}
