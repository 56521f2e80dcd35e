import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createFixture } from "./server/create-fixture.js"

// Over stdio, for the proxy that the suites reach it through.
const { service, extension } = createFixture()
const adapter = createMcpAdapter(service)
await serveStdio(adapter, { extension }).closed
adapter.close()
