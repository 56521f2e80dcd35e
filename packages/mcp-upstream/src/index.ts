// For users: what it takes to make any MCP server a service. What needs Node is in `./node`.

export { fromMcpClient, fromMcpServer, type TransportServer, type UrlServer } from "./from-mcp-server.js"
export { type McpExtension, mcpExtension } from "./mcp-extension.js"
export type {
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
