// The child process of stdio tests of extensions.
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveStdio } from "@x/mcp-adapter/stdio"
import { createExtended } from "./extended.mjs"

const { service, extension } = createExtended()
const adapter = createMcpAdapter(service)
await serveStdio(adapter, { extension }).closed
adapter.close()
process.exitCode = Object.values(adapter.ledger.counts()).some((count) => count > 0) ? 1 : 0
