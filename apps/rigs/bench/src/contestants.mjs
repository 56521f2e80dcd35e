import { join } from "node:path"

const peers = join(import.meta.dirname, "..", "peers")
const ours = join(import.meta.dirname, "ours.mjs")

const PROGRESS = { progressToken: "bench" }
/** The capabilities that Claude Code and hosts of apps declare. */
const CAPABILITIES = {
  "io.modelcontextprotocol/clientCapabilities": {
    roots: { listChanged: true },
    elicitation: { form: {}, url: {} },
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  },
}
const STATELESS = { legacy: "stateless" }

/**
 * The HTTP contestants: the serving file and the protocol era of each; `stateless` is the legacy era without sessions. `meta` is
 * added to the `_meta` of its requests, `options` to those of the server.
 */
export const contestants = {
  node: { title: "bare `node:http`", file: join(peers, "node-http.mjs"), era: "modern" },
  "ours modern": { title: "ours, 2026-07-28", file: ours, era: "modern" },
  "ours sessions": { title: "ours, sessions", file: ours, era: "legacy" },
  "ours progress": { title: "ours, with a progress token", file: ours, era: "modern", meta: PROGRESS },
  "ours extensions": { title: "ours, client with extensions", file: ours, era: "modern", meta: CAPABILITIES },
  "ours session progress": {
    title: "ours, sessions, with a progress token",
    file: ours,
    era: "legacy",
    meta: PROGRESS,
  },
  "ours stateless": { title: "ours, stateless", file: ours, era: "stateless", options: STATELESS },
  "sdk modern": { title: "SDK v2, 2026-07-28", file: join(peers, "sdk-v2.mjs"), era: "modern" },
  "sdk sessions": { title: "SDK v2, sessions", file: join(peers, "sdk-v2-sessions.mjs"), era: "legacy" },
  "sdk progress": {
    title: "SDK v2, with a progress token",
    file: join(peers, "sdk-v2.mjs"),
    era: "modern",
    meta: PROGRESS,
  },
  "sdk stateless": { title: "SDK v2, stateless", file: join(peers, "sdk-v2.mjs"), era: "stateless" },
  "mcp-lite": { title: "mcp-lite, stateless", file: join(peers, "mcp-lite.mjs"), era: "stateless" },
  McpServer: { title: "SDK v2, `McpServer` a request", file: join(peers, "sdk-v2-mcp-server.mjs"), era: "modern" },
  "sdk v1": { title: "SDK v1, sessions", file: join(peers, "sdk-v1.mjs"), era: "legacy" },
  fastmcp: { title: "fastmcp", file: join(peers, "fastmcp.mjs"), era: "legacy" },
  "mcp-handler": { title: "mcp-handler", file: join(peers, "mcp-handler.mjs"), era: "modern" },
  devframe: { title: "@devframes/agentic", file: join(peers, "devframe.mjs"), era: "modern" },
}

/** The servers that the limits name. */
export const few = ["node", "ours modern", "ours sessions", "sdk modern", "sdk sessions"]

/** The same for the rows of all servers. */
export const most = [
  ...few,
  "ours progress",
  "ours extensions",
  "ours session progress",
  "ours stateless",
  "sdk stateless",
  "mcp-lite",
]

export { ours, peers }
