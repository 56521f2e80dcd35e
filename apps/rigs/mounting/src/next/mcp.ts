import { createMcpAdapter } from "@x/mcp-adapter"
import { createFetchHandler, type FetchHandler } from "@x/mcp-adapter/fetch"
import { createNotes } from "../create-notes"

declare global {
  var mcpHandler: FetchHandler | undefined
}

// Next loads modules again for every bundle and after every edit. Only global variables keep their value.
globalThis.mcpHandler ??= createFetchHandler(createMcpAdapter(createNotes()), { legacy: "stateless" })

export const mcp: FetchHandler = globalThis.mcpHandler
