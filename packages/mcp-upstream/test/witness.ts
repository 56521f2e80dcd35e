import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { filter, firstValueFrom, type Observable, ReplaySubject } from "rxjs"
import { onTestFinished } from "vitest"
import type { Upstream, UpstreamOptions } from "../src/index.js"
import { fromMcpServer } from "../src/node.js"
import type { Era } from "./servers.js"

const WITNESS = fileURLToPath(new URL("witness.mjs", import.meta.url))

/** How a witness is reached. */
export type Way = "stdio" | "http"

/** A record of a witness. */
export type Entry = Readonly<Record<string, unknown>>

/** An SDK server in its own process, with its records. */
export interface Witness {
  /** The server as a service. */
  readonly server: Upstream
  /** Emits all records so far, then new ones. */
  readonly records: Observable<Entry>
  /** All records so far. */
  readonly all: readonly Entry[]
  /** Resolves with the first matching record. */
  until(fits: (entry: Entry) => boolean): Promise<Entry>
}

/** Starts a witness that ends with the test. */
export async function startWitness(
  { way, era, env = {} }: { readonly way: Way; readonly era: Era; readonly env?: Readonly<Record<string, string>> },
  options: UpstreamOptions = {},
): Promise<Witness> {
  const all: Entry[] = []
  const records = new ReplaySubject<Entry>()
  records.subscribe((entry) => all.push(entry))
  const wanted = { name: "bank", era, connect: "eager" as const, ...options }
  const server =
    way === "stdio"
      ? fromMcpServer({ command: process.execPath, args: [WITNESS, "stdio"], env }, wanted)
      : fromMcpServer({ url: await serveHttp(era, env, (entry) => records.next(entry)) }, wanted)
  server.events.subscribe((event) => {
    if (event.type === "stderr" && event.line.startsWith("{")) records.next(JSON.parse(event.line))
  })
  onTestFinished(() => server.close())
  await firstValueFrom(server.actions.pipe(filter((actions) => Object.keys(actions).length > 0)))
  return { server, records, all, until: (fits) => firstValueFrom(records.pipe(filter(fits))) }
}

async function serveHttp(era: Era, env: object, heard: (entry: Entry) => void): Promise<string> {
  const child = spawn(process.execPath, [WITNESS, "http", era], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  })
  onTestFinished(() => void child.stdin.end())
  const lines = new ReplaySubject<Entry>()
  createInterface(child.stdout).on("line", (line) => lines.next(JSON.parse(line)))
  const { port } = await firstValueFrom(lines)
  lines.subscribe(heard)
  return `http://127.0.0.1:${String(port)}/mcp`
}
