export type {
  AdmitOptions,
  Authenticate,
  BearerOptions,
  BodyLimits,
  EndpointOptions,
  FetchOptions,
  FindKey,
  GuardOptions,
  RequestRate,
  SessionLimits,
} from "./fetch.js"
export { apiKeys, bearer } from "./fetch.js"
export { createNodeHandler, type NodeHandler } from "./node-handler.js"
export { type HttpOptions, type HttpServer, serveHttp } from "./serve-http.js"
