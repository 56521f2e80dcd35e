import { CliError } from "../cli-error.js"
import type { AgentServices } from "./agent-service.js"

/** What services handed out, by name. */
export type Handles = Readonly<Record<string, unknown>>

/** Holds services that are started once for all. */
export interface ServiceKeeper {
  /** Starts them one after the other, unless they are; where one fails, those before it are stopped again. */
  start(): Promise<Handles>
  /** Stops them, the last started first; one that fails keeps none from being stopped. */
  stop(): Promise<void>
}

/** Nothing started yet. */
export function createServiceKeeper(services: AgentServices<Handles>): ServiceKeeper {
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
    process.stderr.write(`service "${name}" could not be stopped: ${cause instanceof Error ? cause.message : cause}\n`)
  }
}
