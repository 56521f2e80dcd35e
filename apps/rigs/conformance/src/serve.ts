import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createFixture } from "./server/create-fixture.js"

// Serves the fixtures over stdio, for a proxy that the suites connect to.
const { service, extension, options } = createFixture()
const adapter = createMcpAdapter(service, options)
await serveStdio(adapter, { extension }).closed
adapter.close()
