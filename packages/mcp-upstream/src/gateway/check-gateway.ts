import { type FSWatcher, watch } from "node:fs"
import { basename, dirname } from "node:path"
import { filter, firstValueFrom } from "rxjs"
import type { Upstream } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import { createGateway, type Gateway } from "./create-gateway.js"
import { type GatewayConfig, parseGatewayConfig, readGatewayConfig, readJson } from "./gateway-config.js"

/** What is wrong with a configuration and each of its servers. */
export interface GatewayReport {
  /** Whether everything can be served. */
  readonly ok: boolean
  /** What is wrong with the configuration so that nothing can be served. */
  readonly errors: readonly string[]
  /** What will not do what its writer may think. */
  readonly warnings: readonly string[]
  /** Each server, as it answered. */
  readonly servers: readonly ServerReport[]
}

/** How a server answered. */
export interface ServerReport {
  /** Its name. */
  readonly name: string
  /** Whether it is there. */
  readonly ok: boolean
  /** What it said, or why it did not. */
  readonly message: string
  /** What an operator should know of it. */
  readonly notes: readonly string[]
}

/** Looks at a configuration file, and connects to each of its servers once. Never rejects for what it finds. */
export async function checkGateway(file: string): Promise<GatewayReport> {
  const { config, errors, warnings } = await readJson(file).then(parseGatewayConfig, (cause: unknown) => ({
    config: undefined,
    errors: [cause instanceof Error ? cause.message : String(cause)],
    warnings: [],
  }))
  if (config === undefined) return { ok: false, errors, warnings, servers: [] }
  const gateway = createGateway(config)
  const notes = new Map<string, string[]>()
  gateway.events.subscribe(({ server, event }) => {
    if (event.type === "diagnostic") notes.set(server, [...(notes.get(server) ?? []), event.message])
  })
  const asked = [...gateway.servers()].map(([name, upstream]) => checkServer(name, upstream))
  const found = await Promise.all(asked)
  await gateway.close()
  const servers = found.map((each) => ({ ...each, notes: notes.get(each.name) ?? [] }))
  return { ok: servers.every(({ ok }) => ok), errors, warnings, servers }
}

async function checkServer(name: string, upstream: Upstream): Promise<ServerReport> {
  const tools = firstValueFrom(upstream.actions)
  const status = await firstValueFrom(
    upstream.status.pipe(filter(({ state }) => !["idle", "connecting"].includes(state))),
  )
  const rest = { name, notes: [] }
  if (status.state !== "connected")
    return { ...rest, ok: false, message: "reason" in status ? status.reason : "it was closed" }
  const [actions, states] = [await tools, await firstValueFrom(upstream.states)]
  const who = status.server === undefined ? "" : `${status.server.name} ${status.server.version}, `
  const counts = `${Object.keys(actions).length} tools, ${Object.keys(states).length} resources`
  return { ...rest, ok: true, message: `${who}${counts}, ${status.era} era` }
}

/** What watching a file tells. */
export interface WatchEars {
  /** The gateway goes on with what the file says now: which servers came, went, or were started anew. */
  applied(servers: readonly string[]): void
  /** The file cannot be used as it is: the gateway goes on with what it had. */
  failed(error: UpstreamError): void
}

/** How long a file has to be at rest before it is read, in milliseconds: editors write in steps. */
const REST_MS = 100

/**
 * Lets a gateway follow its file.
 *
 * @returns Ends it.
 */
export function followGatewayFile(gateway: Pick<Gateway, "apply">, file: string, ears: WatchEars): () => void {
  let timer: NodeJS.Timeout | undefined
  let over = false
  const apply = (config: GatewayConfig): void => {
    if (over) return
    const changed = gateway.apply(config)
    if (changed.length > 0) ears.applied(changed)
  }
  const read = (): void => {
    readGatewayConfig(file)
      .then(apply)
      .catch((cause: unknown) => ears.failed(UpstreamError.from(cause)))
  }
  // The folder, because an editor that writes another file in its place ends what watches the file.
  const watcher: FSWatcher = watch(dirname(file), { persistent: false }, (_, changed) => {
    if (changed !== null && changed !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(read, REST_MS)
  })
  return () => {
    over = true
    clearTimeout(timer)
    watcher.close()
  }
}
