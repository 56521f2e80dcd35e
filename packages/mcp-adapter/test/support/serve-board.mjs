// The child process of stdio tests. SIGUSR2 and SIGHUP change the board with no request in flight. The argument is the time
// that calls may run after the input's end.
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createBoard } from "./board.mjs"

const board = createBoard()
const adapter = createMcpAdapter(board.service)
const server = serveStdio(adapter, { drainMs: Number(process.argv[2] ?? 5_000) })
process.on("SIGUSR2", board.toggle)
process.on("SIGHUP", board.count)

await server.closed
adapter.close()
process.exitCode = Object.values(adapter.ledger.counts()).some((count) => count > 0) ? 1 : 0
