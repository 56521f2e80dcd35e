const TOOL = { name: "steps", inputSchema: { type: "object" } }

/** Returns all messages with which a server of an era answers, to be written at once. */
export function answerIn(era, { id, method, params }) {
  if (id === undefined) return []
  const result = resultOf(era, method, params)
  const answer = result === undefined ? { id, error: { code: -32601, message: "no such method" } } : { id, result }
  return [...(method === "tools/call" ? before(params) : []), answer].map((each) => ({ jsonrpc: "2.0", ...each }))
}

/** Returns the messages that precede a call's answer. */
function before({ _meta: { progressToken } = {} }) {
  const progress = [1, 2, 3].map((step) => ({
    method: "notifications/progress",
    params: { progressToken, progress: step, total: 3 },
  }))
  const said = { method: "notifications/message", params: { level: "info", data: "done" } }
  return [...(progressToken === undefined ? [] : progress), said]
}

function resultOf(era, method, params) {
  const serverInfo = { name: "chunk", version: "1" }
  const capabilities = { tools: {}, logging: {} }
  const modern =
    era === "modern" ? { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } } : {}
  const list = era === "modern" ? { ttlMs: 0, cacheScope: "private" } : {}
  switch (method) {
    case "initialize":
      return era === "modern" ? undefined : { protocolVersion: params.protocolVersion, capabilities, serverInfo }
    case "server/discover":
      return era === "modern"
        ? { ...modern, ...list, supportedVersions: ["2026-07-28"], capabilities, serverInfo }
        : undefined
    case "ping":
      return {}
    case "tools/list":
      return { ...modern, ...list, tools: [TOOL] }
    case "tools/call":
      return { ...modern, content: [{ type: "text", text: "done" }] }
    default:
      return undefined
  }
}
