// Serves one server through the gateway over standard input and output: `gateway-process.mjs <entry as JSON>`.
import { serveStdio } from "@x/mcp-adapter/stdio"
import { openGateway } from "./open-gateway.mjs"

const { adapter, endpoint, close } = await openGateway(JSON.parse(process.argv[2]))
serveStdio(adapter, { ...endpoint, exit: true, onExit: async () => void (await close()) })
