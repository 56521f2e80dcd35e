// The child process of the stdio test of bursts: serves a service of 5,000 states.
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createBurst } from "./burst.mjs"

const adapter = createMcpAdapter(createBurst(5_000), { limits: { states: 10_000 } })
const server = serveStdio(adapter)
await server.closed
adapter.close()
