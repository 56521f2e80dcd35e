// For Node: servers started as commands, and a gateway configured by a file.

export type { TransportServer, UrlServer } from "./from-mcp-server.js"
export type { ConfigInput } from "./gateway/ask-inputs.js"
export { checkGateway, type GatewayReport, type ServerReport } from "./gateway/check-gateway.js"
export { createGateway, type Gateway, type GatewayEvent, type GatewayOptions } from "./gateway/create-gateway.js"
export type {
  CallerCredentials,
  GatewayCaller,
  GatewayConfig,
  GatewayServer,
  PerCaller,
  RefusedServer,
} from "./gateway/gateway-config.js"
export { followGatewayFile, readGatewayConfig, readGatewayFile, type WatchEars } from "./gateway/gateway-file.js"
export { createHealthListener, type HttpListener } from "./gateway/health-listener.js"
export type { KnownHost } from "./gateway/hosts/recognise-host.js"
export type { OAuthClient } from "./gateway/oauth-client.js"
export { nameOfChosen, type ProfileReport } from "./gateway/profile-report.js"
export type { GatewayProfile } from "./gateway/profiles.js"
export {
  parseGatewayConfig,
  type ReadConfig,
  type ReadOptions,
} from "./gateway/read-config.js"
export { createSecretsFile, type SecretKind, type SecretsFile } from "./gateway/secrets-file.js"
export { createSeenFile, type HeldTool, type SeenFile } from "./gateway/seen-file.js"
export type { ServerHealth } from "./gateway/server-health.js"
export { signCallers } from "./gateway/sign-callers.js"
export { createSignIns, type SignInPage, type SignIns } from "./gateway/sign-in.js"
export { type SignedIn, signInFully } from "./gateway/sign-in-fully.js"
export type { StartOptions } from "./gateway/start-server.js"
export type { CommandServer } from "./node/child-transport.js"
export { fromMcpServer } from "./node/from-mcp-server.js"
