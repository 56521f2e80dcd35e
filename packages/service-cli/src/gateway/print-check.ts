import {
  type GatewayConfig,
  type GatewayReport,
  nameOfChosen,
  type ProfileReport,
  type RefusedServer,
} from "@x/mcp-upstream/node"
import { print, toLine } from "../display.js"

/** Prints the result of a check. Returns the exit code. */
export function printReport({ ok, refused, errors, warnings, servers, profiles }: GatewayReport): number {
  const lines = [
    ...errors.map((error) => `error: ${error}`),
    ...toRefusals(refused),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...servers.flatMap(({ name, caller, ok: there, message, notes }) => [
      `${there ? "ok    " : "failed"} ${name}${caller === undefined ? "" : ` for ${caller}`}: ${message}`,
      ...notes.map((note) => `       ${note}`),
    ]),
    ...profiles.map(toProfileLine),
  ]
  void print(lines.map((line) => `${toLine(line)}\n`).join(""))
  if (errors.length > 0) return 2
  return ok ? 0 : 1
}

/** Returns a line for each reason why servers are refused. */
export function toRefusals(servers: readonly RefusedServer[]): readonly string[] {
  const names = new Map<string, string[]>()
  for (const { name, reasons } of servers)
    for (const reason of reasons) names.set(reason, [...(names.get(reason) ?? []), `"${name}"`])
  return [...names].map(
    ([reason, refused]) =>
      `${refused.length === 1 ? "server" : "servers"} ${refused.join(", ")} ${refused.length === 1 ? "is" : "are"} refused: ${reason}`,
  )
}

function toProfileLine({ name, clients, principals, knownClients, shown, all }: ProfileReport): string {
  const whom = [
    `clients ${clients?.join(", ") ?? "of any name"}`,
    `principals ${principals?.join(", ") ?? "of any id, or none"}`,
  ].join("; ")
  const known = knownClients.length === 0 ? "none" : knownClients.join(", ")
  return `profile ${name}: ${shown} of ${all} tools, for ${whom}; known clients that get it: ${known}`
}

const CALLER = { client: "--client=", principal: "--principal=" }

/** Whether a word of the command line names a client or a principal. */
export function isOfCaller(word: string): boolean {
  return Object.values(CALLER).some((start) => word.startsWith(start))
}

/** Prints the profile of the caller that the command line names. Returns the exit code. */
export async function printProfile({ profiles = {} }: GatewayConfig, words: readonly string[]): Promise<number> {
  const said = (start: string): string | undefined => words.find((word) => word.startsWith(start))?.slice(start.length)
  const [client, principal] = [said(CALLER.client), said(CALLER.principal)]
  const found = nameOfChosen(profiles, {
    ...(client !== undefined && { client: { name: client, version: "" } }),
    ...(principal !== undefined && { principal: { id: principal } }),
  })
  await print(found === undefined ? "no profile: everything is shown\n" : `profile "${toLine(found)}"\n`)
  return 0
}
