// For hosts with Node: servers that are commands, and a gateway from a file.

export type { TransportServer, UrlServer } from "./from-mcp-server.js"
export { createGateway, type Gateway, type GatewayEvent, type GatewayOptions } from "./gateway/create-gateway.js"
export type { GatewayConfig, GatewayServer, OAuthClient } from "./gateway/gateway-config.js"
export {
  checkGateway,
  followGatewayFile,
  type GatewayReport,
  readGatewayConfig,
  readGatewayFile,
  type ServerReport,
  type WatchEars,
} from "./gateway/gateway-file.js"
export {
  type ConfigInput,
  parseGatewayConfig,
  type ReadConfig,
  type ReadOptions,
  type RefusedServer,
} from "./gateway/read-config.js"
export { createSecretsFile, type SecretKind, type SecretsFile } from "./gateway/secrets-file.js"
export { createSeenFile, type HeldTool, type SeenFile } from "./gateway/seen-file.js"
export { createSignIns, type SignInPage, type SignIns } from "./gateway/sign-in.js"
export type { CommandServer } from "./node/child-transport.js"
export { fromMcpServer } from "./node/from-mcp-server.js"
