// The same as serve-board.mjs, on an SDK v1 server.
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { createMcpAdapter } from "@x/mcp-adapter"
import { bindSdkV1 } from "@x/mcp-adapter/sdk-v1"
import { createBoard } from "./board.mjs"

const board = createBoard()
const adapter = createMcpAdapter(board.service)
const server = new Server({ name: "board", version: "0" })
bindSdkV1(adapter, server)
process.on("SIGUSR2", board.toggle)
process.on("SIGHUP", board.count)
await server.connect(new StdioServerTransport())
