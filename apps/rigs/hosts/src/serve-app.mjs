// The program started by the matrix's clients: the app with results of every kind, over stdio.
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createApp } from "./app.mjs"

const adapter = createMcpAdapter(createApp().app)
await serveStdio(adapter).closed
adapter.close()
