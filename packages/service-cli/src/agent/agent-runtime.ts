import { homedir } from "node:os"
import { join } from "node:path"
import { CliError } from "../cli-error.js"
import { type ContextStore, createContextStore, defaultContextLimits } from "../context/context-store.js"
import { tell } from "../terminal/display.js"
import type { AgentServices, PlainDefinition } from "./agent.js"
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
