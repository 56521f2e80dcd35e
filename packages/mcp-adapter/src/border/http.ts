export type {
  AdmitOptions,
  Authenticate,
  BearerOptions,
  BodyLimits,
  EndpointOptions,
  FetchHandler,
  FetchOptions,
  FindKey,
  Gate,
  GateOptions,
  GuardOptions,
  ListenLimits,
  ReadBody,
  RequestExtra,
  RequestRate,
  SessionLimits,
  Visitor,
} from "./fetch.js"
export { apiKeys, bearer, createHttpGate } from "./fetch.js"
export { createNodeHandler, type NodeHandler, toNodeHandler } from "./http/node-handler.js"
export { type HttpOptions, type HttpServer, serveHttp } from "./http/serve-http.js"
