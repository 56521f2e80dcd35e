import { join } from "node:path"

const peers = join(import.meta.dirname, "..", "peers")
const ours = join(import.meta.dirname, "ours.mjs")

/** Who answers over HTTP: which file serves, and which era is spoken to it. */
export const contestants = {
  node: { title: "bare `node:http`", file: join(peers, "node-http.mjs"), era: "modern" },
  "ours modern": { title: "ours, 2026-07-28", file: ours, era: "modern" },
  "ours sessions": { title: "ours, sessions", file: ours, era: "legacy" },
  "sdk modern": { title: "SDK v2, 2026-07-28", file: join(peers, "sdk-v2.mjs"), era: "modern" },
  "sdk sessions": { title: "SDK v2, sessions", file: join(peers, "sdk-v2-sessions.mjs"), era: "legacy" },
  McpServer: { title: "SDK v2, `McpServer` a request", file: join(peers, "sdk-v2-mcp-server.mjs"), era: "modern" },
  "sdk v1": { title: "SDK v1, sessions", file: join(peers, "sdk-v1.mjs"), era: "legacy" },
  fastmcp: { title: "fastmcp", file: join(peers, "fastmcp.mjs"), era: "legacy" },
  "mcp-handler": { title: "mcp-handler", file: join(peers, "mcp-handler.mjs"), era: "modern" },
  devframe: { title: "@devframes/agentic", file: join(peers, "devframe.mjs"), era: "modern" },
}

/** Those that the limits are about. */
export const few = ["node", "ours modern", "ours sessions", "sdk modern", "sdk sessions"]

export { ours, peers }
