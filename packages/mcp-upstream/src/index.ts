// Turns any MCP server into a service. The parts that need Node are in `./node`.

export { fromMcpClient, fromMcpServer, type TransportServer, type UrlServer } from "./from-mcp-server.js"
export { type McpExtension, mcpExtension } from "./mcp-extension.js"
export type {
  Askable,
  Holdings,
  Listed,
  MemberDifference,
  SeenStore,
  SeenTools,
  Upstream,
  UpstreamDiagnosticCode,
  UpstreamEvent,
  UpstreamLimits,
  UpstreamOptions,
  UpstreamStatus,
} from "./upstream.js"
export { UpstreamError, type UpstreamErrorCode } from "./upstream-error.js"
