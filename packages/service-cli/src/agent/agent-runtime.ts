import { homedir } from "node:os"
import { join } from "node:path"
import type { Hints } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import { CliError, expectOptions } from "../cli-error.js"
import { type ContextStore, createContextStore, defaultContextLimits } from "../context/context-store.js"
import { printMessage } from "../display.js"
import type { AgentContextOptions, AgentServices, AgentTool, PlainDefinition } from "./agent-definition.js"
import { type SetUp, type SetUpOptions, setUp } from "./settings.js"

/** An agent's runtime: its configuration, services and notes. */
export interface AgentRuntime {
  /** Reads the configuration; see {@link Agent.configure}. */
  configure(options: SetUpOptions): Promise<void>
  /** Starts the services one after the other, unless they are running. If one fails, those started before are stopped again. */
  start(): Promise<Running>
  /** Stops the services, last started first, and closes the notes. A failure does not stop the others from stopping. */
  stop(): Promise<void>
}

/** A started agent. */
export interface Running extends SetUp {
  /** Its services' handles, by name. */
  readonly services: Readonly<Record<string, unknown>>
  /** Its notes. */
  readonly notes: ContextStore
}

/** Creates an agent's runtime. Reads and starts nothing until it is used. */
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

/** The running services, and how to stop them. */
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
  return new CliError(`service "${name}" could not be started: ${CliError.from(cause).message}`, {
    code: "unavailable",
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
    printMessage(`service "${name}" could not be stopped`, CliError.from(cause).message)
  }
}

/** Throws if a definition is invalid, so that no agent starts that cannot be called as its author intended. */
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
      `found the name "${illegal}" of an agent or a tool`,
      'a letter or "_", then at most 63 letters, digits, "_" or "-"',
    )
  }
  const twice = names.find((candidate, index) => names.indexOf(candidate) !== index)
  if (twice !== undefined) throw invalid(`agent "${name}" has two tools "${twice}"`, "a different name for each")
  if ("context" in options)
    throw invalid(`agent "${name}" has an option "context"`, "another name: it is the agent's text input")
  const unknown = required.find((option) => !Object.hasOwn(options, option))
  if (unknown !== undefined) throw invalid(`agent "${name}" requires "${unknown}"`, "the name of an option")
}

/** Every list leaves out tools without a description or a function, so they are rejected early. */
function expectDescribed(
  owner: string,
  { description, run }: { readonly description: unknown; readonly run: unknown },
): void {
  if (typeof description !== "string" || description.trim() === "") {
    throw invalid(`${owner} has no "description"`, "what it does, for the model that chooses it")
  }
  if (typeof run !== "function") throw invalid(`${owner} has no function to run`, "a function")
}

/** A timer's range, in milliseconds. */
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
  return new CliError(`${found}: expected ${expected}`, { code: "invalid_definition" })
}
