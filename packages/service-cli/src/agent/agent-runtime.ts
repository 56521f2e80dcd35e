import { homedir } from "node:os"
import { join } from "node:path"
import type { Hints } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { CliError, expectOptions } from "../cli-error.js"
import { type ContextStore, createContextStore, defaultContextLimits } from "../context/context-store.js"
import { tell } from "../display.js"
import type { AgentContextOptions, AgentServices, AgentTool, PlainDefinition } from "./agent-definition.js"
import { type SetUp, type SetUpOptions, setUp } from "./settings.js"

/** What an agent runs with: what it is set up with, its services, and its notes. */
export interface AgentRuntime {
  /** Reads what it is set up with; see {@link Agent.configure}. */
  configure(options: SetUpOptions): Promise<void>
  /** Starts the services one after the other, unless they are; where one fails, those before it are stopped again. */
  start(): Promise<Running>
  /** Stops them, the last started first, and lets go of the notes; one that fails keeps none from being stopped. */
  stop(): Promise<void>
}

/** An agent that has been started. */
export interface Running extends SetUp {
  /** What its services handed out, by name. */
  readonly services: Readonly<Record<string, unknown>>
  /** Its notes. */
  readonly notes: ContextStore
}

/** Makes what an agent runs with; nothing is read or started before it is used. */
export function createAgentRuntime(definition: PlainDefinition): AgentRuntime {
  const { name, config: settings = {}, environment: variables = [], services = {} } = definition
  let settled: Promise<SetUp> | undefined
  let started: Promise<Started> | undefined
  const configure = (options: SetUpOptions): Promise<SetUp> => {
    const asked = setUp({ name, settings, variables }, options).catch((error: unknown) => {
      if (settled === asked) settled = undefined
      throw error
    })
    settled = asked
    return asked
  }
  const start = (): Promise<Started> => {
    started ??= (settled ?? configure({}))
      .then((ready) => startAll(services, definition, ready))
      .catch((error: unknown) => {
        started = undefined
        throw error
      })
    return started
  }
  return {
    configure: async (options) => void (await configure(options)),
    start: async () => (await start()).running,
    async stop() {
      const all = await started?.catch(() => undefined)
      started = undefined
      await all?.stop()
    },
  }
}

/** What runs, and how it ends. */
interface Started {
  readonly running: Running
  stop(): Promise<void>
}

async function startAll(
  services: AgentServices<Readonly<Record<string, unknown>>>,
  definition: PlainDefinition,
  settled: SetUp,
): Promise<Started> {
  const notes = createNotes(definition)
  const handles: Record<string, unknown> = {}
  const stops: { readonly name: string; readonly stop: () => void | PromiseLike<void> }[] = []
  const stop = async (): Promise<void> => {
    for (const last of stops.splice(0).reverse()) await tryToStop(last.name, last.stop)
    await notes.close()
  }
  for (const [name, service] of Object.entries(services)) {
    try {
      const handle = await service.start(settled)
      handles[name] = handle
      stops.push({ name, stop: () => service.stop?.(handle) })
    } catch (cause) {
      await stop()
      throw notStarted(name, cause)
    }
  }
  return { running: { ...settled, services: handles, notes }, stop }
}

function notStarted(name: string, cause: unknown): CliError {
  return new CliError("unavailable", `service "${name}" could not be started: ${CliError.from(cause).message}`, {
    cause,
  })
}

function createNotes({ name, context = {} }: PlainDefinition): ContextStore {
  const { file = defaultFile(name), ...limits } = context
  return createContextStore({ file, agent: name, limits: { ...defaultContextLimits, ...limits } })
}

function defaultFile(name: string): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  return join(XDG_STATE_HOME || LOCALAPPDATA || join(homedir(), ".local", "state"), name, "context.db")
}

async function tryToStop(name: string, stop: () => void | PromiseLike<void>): Promise<void> {
  try {
    await stop()
  } catch (cause) {
    tell(`service "${name}" could not be stopped`, CliError.from(cause).message)
  }
}

/** Finds what would keep an agent from being called as its author means it. */
export function checkDefinition(definition: PlainDefinition): void {
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
  idleMs: TIME,
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
