import { filter, firstValueFrom } from "rxjs"
import type { Upstream, UpstreamStatus } from "../upstream.js"
import { withCredentials } from "./caller-credentials.js"
import { createGateway, type Gateway, type GatewayOptions } from "./create-gateway.js"
import type { GatewayConfig, GatewayServer, RefusedServer } from "./gateway-config.js"
import { readGatewayFile } from "./gateway-file.js"
import { type ProfileReport, reportProfiles } from "./profile-report.js"
import type { ReadOptions } from "./read-config.js"
import { startServer } from "./start-server.js"

/** The result of checking a configuration. */
export interface GatewayReport {
  /** Whether every server can be served. */
  readonly ok: boolean
  /** Faults that prevent serving. */
  readonly errors: readonly string[]
  /** The servers refused because of their entries. */
  readonly refused: readonly RefusedServer[]
  /** Parts that may not do what their author expects. */
  readonly warnings: readonly string[]
  /** The answer of each other server. */
  readonly servers: readonly ServerReport[]
  /** The profiles, in matching order. */
  readonly profiles: readonly ProfileReport[]
}

/** A server's answer. */
export interface ServerReport {
  /** Its name. */
  readonly name: string
  /** The caller's id, if the check used this caller's own credentials. */
  readonly caller?: string
  /** Whether it connected, or at least answered if the file has no caller's credentials. */
  readonly ok: boolean
  /** Its answer, or why it failed. */
  readonly message: string
  /** Notes for the operator. */
  readonly notes: readonly string[]
  /** Its tools, by their configured names; empty if the server failed. */
  readonly tools: readonly string[]
}

/**
 * Checks a configuration file and connects once to each of its servers; to one with `perCaller`, once for each caller of the
 * file. Never rejects because of the content.
 *
 * @example
 * ```ts
 * import { mkdtemp, rm, writeFile } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { checkGateway } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * await writeFile(`${folder}/mcp.json`, '{ "mcpServers": { "docs": { "url": "http://127.0.0.1:65535/mcp" } } }')
 * const { ok, servers } = await checkGateway(`${folder}/mcp.json`)
 * console.log(ok, servers.map(({ name, message }) => `${name}: ${message}`)) // false [ 'docs: fetch failed: …' ]
 * await rm(folder, { recursive: true })
 * ```
 */
export async function checkGateway(
  file: string,
  { signIns, ...options }: ReadOptions & Pick<GatewayOptions, "signIns"> = {},
): Promise<GatewayReport> {
  const { config, refused, errors, warnings } = await readGatewayFile(file, options)
  if (config === undefined) return { ok: false, refused, errors, warnings, servers: [], profiles: [] }
  const names = Object.keys(config.mcpServers)
  const [shared, ofCallers] = await Promise.all([
    checkShared(createGateway(config, { ...(signIns && { signIns }) })),
    Promise.all(Object.entries(config.mcpServers).map((entry) => checkPerCaller(config, ...entry))),
  ])
  const servers = [...shared, ...ofCallers.flat()].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
  // Of several callers' tools, those of the first count.
  const tools = new Map([...servers].reverse().map((each) => [each.name, each.tools]))
  const ok = refused.length === 0 && servers.every((each) => each.ok)
  return { ok, refused, errors, warnings, servers, profiles: reportProfiles(config, tools) }
}

async function checkShared(gateway: Gateway): Promise<readonly ServerReport[]> {
  const reports = [...gateway.servers()].map(([name, upstream]) => checkServer(name, upstream))
  const found = await Promise.all(reports)
  await gateway.close()
  return found
}

/** Connects to a server with `perCaller` for each caller, or without credentials if the file has none of any caller. */
async function checkPerCaller(
  { callers = {} }: GatewayConfig,
  name: string,
  server: GatewayServer,
): Promise<readonly ServerReport[]> {
  const { perCaller, ...rest } = server
  if (perCaller === undefined || server.disabled === true) return []
  const ids = [...new Set([...Object.keys(callers), ...Object.keys(perCaller.callers ?? {})])]
  const all = ids.flatMap((id) => {
    const { claims } = callers[id] ?? {}
    const own = withCredentials(server, { id, ...(claims && { claims }) })
    return own === undefined ? [] : [{ id, own }]
  })
  if (all.length === 0) return [await checkAnonymously(name, rest)]
  const reports: ServerReport[] = []
  // One at a time, because each may start a program.
  for (const { id, own } of all) reports.push({ ...(await checkServer(name, startServer(name, own, {}))), caller: id })
  return reports
}

/** Finds out whether a server answers at all. Rejected credentials are an answer. */
async function checkAnonymously(name: string, server: GatewayServer): Promise<ServerReport> {
  const upstream = startServer(name, { ...server, oauth: false }, {})
  const [report, status] = await Promise.all([checkServer(name, upstream), firstStatus(upstream)])
  if (status.state !== "down") return report
  const message = `it answers, but cannot be asked without a caller's credentials, and the file has none: ${status.reason}`
  return { ...report, ok: true, message }
}

/** Connects once to a server, then closes the connection. */
export async function checkServer(name: string, upstream: Upstream): Promise<ServerReport> {
  const notes: string[] = []
  const said: string[] = []
  upstream.events.subscribe((event) => {
    if (event.type === "diagnostic") notes.push(event.message)
    if (event.type === "stderr") said.push(event.line)
  })
  const tools = firstValueFrom(upstream.actions)
  const first = await firstStatus(upstream)
  const [actions, states] =
    first.state === "connected" ? [await tools, await firstValueFrom(upstream.states)] : [{}, {}]
  // A server may connect, and then refuse its lists.
  const status = first.state === "connected" ? await firstStatus(upstream) : first
  if (status.state !== "connected") {
    // A program's last line may come after its end.
    await upstream.close()
    const line = tellingLine(said)
    const told = line === undefined ? [] : [`it wrote: ${line}`]
    return { name, ok: false, message: toReason(status), notes: [...notes, ...told], tools: [] }
  }
  await upstream.close()
  const who = status.server === undefined ? "" : `${status.server.name} ${status.server.version}, `
  const counts = `${countOf(actions, "tool")}, ${countOf(states, "resource")}`
  return { name, ok: true, message: `${who}${counts}, ${status.era} era`, notes, tools: Object.keys(actions) }
}

/** Returns the line of a program's output that says the most: the last that names an error, or the last. */
function tellingLine(lines: readonly string[]): string | undefined {
  const said = lines.filter((line) => line.trim() !== "")
  const named = said.filter((line) => /^\s*[\w.:]*(error|exception|fatal|panic)[\w.]*\b[^\w]*:/i.test(line))
  return (named.at(-1) ?? said.at(-1))?.trim()
}

function countOf(members: object, what: string): string {
  const count = Object.keys(members).length
  return `${count} ${what}${count === 1 ? "" : "s"}`
}

function firstStatus(upstream: Upstream): Promise<UpstreamStatus> {
  return firstValueFrom(upstream.status.pipe(filter(({ state }) => !["idle", "connecting"].includes(state))))
}

function toReason(status: UpstreamStatus): string {
  if (status.state === "down") return `${status.reason}; ${status.remedy}`
  return status.state === "waiting" ? status.reason : "it was closed"
}
