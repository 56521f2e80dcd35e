import { type AdapterEvent, createMcpAdapter, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { combineLatest, map, type Observable, of } from "rxjs"
import type { Activity } from "./board/activity.js"
import { createBoardStore } from "./board/create-board-store.js"
import { createExporter } from "./board/create-exporter.js"
import { CALL_MS } from "./services/call-time.js"
import { createBoardService } from "./services/create-board-service.js"
import { instructions } from "./services/instructions.js"
import { clientConfiguration } from "./serving/client-configuration.js"
import { followEvents } from "./serving/follow-events.js"
import { paint } from "./serving/paint.js"
import { type Options, readOptions, usage } from "./serving/read-options.js"
import { createStatusLine } from "./serving/status-line.js"

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  console.error("See --help for the options.")
  process.exitCode = 1
})

/** Serves a project board to people and MCP clients until the process is stopped. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) return console.log(usage)
  if (options.stdio) await overStdio(createKeptBoard(options), options)
  else if (options.headless) await withoutPage(createKeptBoard(options), options)
  else await withPage(options)
}

/** Creates a board in this process. */
function createKeptBoard({ export: seconds }: Options): McpAdapter {
  const store = createBoardStore()
  const exporter = seconds === undefined ? undefined : createExporter(store, seconds * 1_000)
  return createMcpAdapter(createBoardService(store, exporter), { instructions })
}

async function withoutPage(adapter: McpAdapter, options: Options): Promise<void> {
  const { serveBoard } = await import("./serving/serve-board.js")
  const { url, activity$ } = await serveBoard(adapter, options)
  console.log(`${clientConfiguration(url)}\n\n${howItGoesOn(options)}`)
  console.log(`\nA project board is served at ${paint("bold", url)}\n`)
  if (!options.quiet) await followBelow(activity$.pipe(map(describeModels)), { adapter, json: options.json })
}

/** Serves a page, which offers its board to this process. */
async function withPage(options: Options): Promise<void> {
  const [{ createPageHost }, { serveBoard }] = await Promise.all([
    import("./serving/page-host.js"),
    import("./serving/serve-board.js"),
  ])
  const page = createPageHost()
  const adapter = createMcpAdapter(page.service, { name: "board", instructions, calls: { timeoutMs: CALL_MS } })
  const { server, url, activity$ } = await serveBoard(adapter, options, page.answer)
  page.accept(server)
  const at = new URL("/", url).href
  // The page runs the export. Its address contains the duration.
  const open = options.export === undefined ? at : `${at}?export=${options.export}`
  console.log(`The board is at ${open}; open it to give models its tools.\n\n${clientConfiguration(url)}\n`)
  console.log(`The live view, at ${at}live/, shows what models see. ${howItGoesOn(options)}`)
  console.log(`\nOpen the board at ${paint("bold", open)}\n`)
  if (options.quiet) return
  const status = combineLatest([page.open$, activity$]).pipe(
    map(([open, activity]) => `${describePages(open)} · ${describeModels(activity)}`),
  )
  await followBelow(status, { adapter, json: options.json, isToldElsewhere: isWait })
}

/** A service without a page sends nothing, and the status line tells how many pages are open. */
function isWait(event: AdapterEvent): boolean {
  return event.type === "diagnostic" && event.diagnostic.code === "waiting"
}

function describePages(open: number): string {
  return open === 0 ? "no page is open" : open === 1 ? "1 page is open" : `${open} pages are open`
}

function describeModels({ clients, calls }: Activity): string {
  const models = clients.length === 0 ? "no model is connected" : `connected: ${clients.join(", ")}`
  return calls.length === 0
    ? models
    : `${models} · ${calls.map(({ client, tool }) => `${client} runs ${tool}`).join(", ")}`
}

interface Following {
  readonly adapter: McpAdapter
  readonly json: boolean
  readonly isToldElsewhere?: (event: AdapterEvent) => boolean
}

/** Logs events above a line with the newest status. */
async function followBelow(status: Observable<string>, following: Following): Promise<void> {
  const line = createStatusLine(following.json ? of() : status, process.stdout)
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, line.close)
  await follow(following, line.tell)
}

function howItGoesOn({ quiet, json }: Options): string {
  return `Press Ctrl+C to stop.${quiet || json ? "" : " Activity is logged below."}`
}

async function overStdio(adapter: McpAdapter, { exposure, json, quiet }: Options): Promise<void> {
  const { serveStdio } = await import("@x/mcp-adapter/stdio")
  // stdout is reserved for the protocol.
  if (!quiet) await follow({ adapter, json }, console.error)
  serveStdio(adapter, { exposure, exit: true })
}

/** Logs events for a person, or as JSON on stderr, which is free even over stdio. */
async function follow({ adapter, json, isToldElsewhere }: Following, tell: (line: string) => void): Promise<void> {
  if (!json) return followEvents(adapter, tell, isToldElsewhere)
  const { pino } = await import("pino")
  logCalls(adapter, pino(pino.destination(2)))
}
