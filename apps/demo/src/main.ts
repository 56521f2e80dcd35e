import { createMcpAdapter, logCalls, type McpAdapter } from "@x/mcp-adapter"
import { createBoardStore } from "./board/create-board-store.js"
import { createBoardService } from "./services/create-board-service.js"
import { instructions } from "./services/instructions.js"
import { clientConfiguration } from "./serving/client-configuration.js"
import { followEvents } from "./serving/follow-events.js"
import { paint } from "./serving/paint.js"
import { type Options, readOptions, usage } from "./serving/read-options.js"

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  console.error("--help says how it is started")
  process.exitCode = 1
})

/** Serves a project board to people and MCP clients until the process is told to end. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) return console.log(usage)
  if (options.stdio) await overStdio(createKeptBoard(), options)
  else if (options.headless) await withoutPage(createKeptBoard(), options)
  else await withPage(options)
}

/** A board that this process keeps. */
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

/** The board is in a page of its own, which offers it to this process. */
async function withPage(options: Options): Promise<void> {
  const [{ createPageHost }, { serveBoard }] = await Promise.all([
    import("./serving/page-host.js"),
    import("./serving/serve-board.js"),
  ])
  const page = createPageHost()
  const adapter = createMcpAdapter(page.service, { name: "board", instructions })
  const { server, url } = await serveBoard(adapter, options, page.answer)
  page.accept(server)
  const at = new URL("/", url).href
  console.log(`The board is at ${at}; open it, and let a model work on it.\n\n${clientConfiguration(url)}\n`)
  console.log(`What models see of it is at ${at}live/. ${howItGoesOn(options)}`)
  console.log(`\nOpen the board at ${paint("bold", at)}\n`)
  if (!options.quiet) await follow(adapter, options.json, console.log)
}

function howItGoesOn({ quiet, json }: Options): string {
  return `Ctrl+C ends it.${quiet || json ? "" : " What happens there is told below."}`
}

async function overStdio(adapter: McpAdapter, { exposure, json, quiet }: Options): Promise<void> {
  const { serveStdio } = await import("@x/mcp-adapter/stdio")
  // stdout belongs to the protocol.
  if (!quiet) await follow(adapter, json, console.error)
  serveStdio(adapter, { exposure, exit: true })
}

/** Tells what happens: to programs on stderr, which is free over stdio as well, or to a person. */
async function follow(adapter: McpAdapter, json: boolean, tell: (line: string) => void): Promise<void> {
  if (!json) return followEvents(adapter, tell)
  const { pino } = await import("pino")
  logCalls(adapter, pino(pino.destination(2)))
}
