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

/** Serves a project board to MCP clients until the process is told to end. */
async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.help) return console.log(usage)

  const adapter = createMcpAdapter(createBoardService(createBoardStore()), { instructions })
  if (options.stdio) await overStdio(adapter, options)
  else await overHttp(adapter, options)
}

async function overHttp(adapter: McpAdapter, { exposure, host, json, port, quiet }: Options): Promise<void> {
  const { serveHttp } = await import("@x/mcp-adapter/http")
  const http = { host, port, exposure, exit: true }
  const server = await serveHttp(adapter, http).catch((error: unknown) => {
    adapter.close()
    throw error
  })
  console.log(
    `${clientConfiguration(server.url)}\n\nCtrl+C ends it.${quiet || json ? "" : " What happens there is told below."}`,
  )
  console.log(`\nA project board is served at ${paint("bold", server.url)}\n`)
  if (!quiet) await follow(adapter, json, console.log)
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
