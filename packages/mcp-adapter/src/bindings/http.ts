export type { EndpointOptions, FetchOptions, GuardOptions, SessionLimits } from "./fetch.js"
export { createNodeHandler, type NodeHandler } from "./node-handler.js"
export { type HttpOptions, type HttpServer, serveHttp } from "./serve-http.js"
