import { createMcpAdapter, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { createBoardStore } from "./board/create-board-store.js"
import { CALL_MS } from "./services/call-time.js"
import { createBoardService } from "./services/create-board-service.js"
import { instructions } from "./services/instructions.js"
import { clientConfiguration } from "./serving/client-configuration.js"
import { followEvents } from "./serving/follow-events.js"
import { paint } from "./serving/paint.js"
import { type Options, readOptions, usage } from "./serving/read-options.js"

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  console.error("See --help for the options.")
  process.exitCode = 1
})

/** Serves a project board to people and MCP clients until the process is stopped. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) return console.log(usage)
  if (options.stdio) await overStdio(createKeptBoard(), options)
  else if (options.headless) await withoutPage(createKeptBoard(), options)
  else await withPage(options)
}

/** Creates a board in this process. */
function createKeptBoard(): McpAdapter {
  return createMcpAdapter(createBoardService(createBoardStore()), { instructions })
}

async function withoutPage(adapter: McpAdapter, options: Options): Promise<void> {
  const { serveBoard } = await import("./serving/serve-board.js")
  const { url } = await serveBoard(adapter, options)
  console.log(`${clientConfiguration(url)}\n\n${howItGoesOn(options)}`)
  console.log(`\nA project board is served at ${paint("bold", url)}\n`)
  if (!options.quiet) await follow(adapter, options.json, console.log)
}

/** Serves a page, which offers its board to this process. */
async function withPage(options: Options): Promise<void> {
  const [{ createPageHost }, { serveBoard }] = await Promise.all([
    import("./serving/page-host.js"),
    import("./serving/serve-board.js"),
  ])
  const page = createPageHost()
  const adapter = createMcpAdapter(page.service, { name: "board", instructions, calls: { timeoutMs: CALL_MS } })
  const { server, url } = await serveBoard(adapter, options, page.answer)
  page.accept(server)
  const at = new URL("/", url).href
  console.log(`The board is at ${at}; open it to give models its tools.\n\n${clientConfiguration(url)}\n`)
  console.log(`The live view, at ${at}live/, shows what models see. ${howItGoesOn(options)}`)
  console.log(`\nOpen the board at ${paint("bold", at)}\n`)
  if (!options.quiet) await follow(adapter, options.json, console.log)
}

function howItGoesOn({ quiet, json }: Options): string {
  return `Press Ctrl+C to stop.${quiet || json ? "" : " Activity is logged below."}`
}

async function overStdio(adapter: McpAdapter, { exposure, json, quiet }: Options): Promise<void> {
  const { serveStdio } = await import("@x/mcp-adapter/stdio")
  // stdout is reserved for the protocol.
  if (!quiet) await follow(adapter, json, console.error)
  serveStdio(adapter, { exposure, exit: true })
}

/** Logs events for a person, or as JSON on stderr, which is free even over stdio. */
async function follow(adapter: McpAdapter, json: boolean, tell: (line: string) => void): Promise<void> {
  if (!json) return followEvents(adapter, tell)
  const { pino } = await import("pino")
  logCalls(adapter, pino(pino.destination(2)))
}
