// A host that ends its process in the turn of the event loop in which the first line arrives, right after the server took it.
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createBoard } from "./board.mjs"

serveStdio(createMcpAdapter(createBoard().service))
process.stdin.on("data", () => process.exit())
