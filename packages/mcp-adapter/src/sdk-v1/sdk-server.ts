import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { ServerCapabilities, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js"
import { AdapterError, type Params, type Result } from "../index.js"

/** Answers one method on a server of SDK v1. */
export type SdkHandler = (request: SdkRequest, extra: Extra) => Promise<Result>

/** A request from the server. */
export interface SdkRequest {
  /** The method. */
  readonly method: string
  /** The parameters. */
  readonly params?: Params | undefined
}

/** The SDK's context of a request. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** Private members of an SDK v1 server that a second owner of its methods needs. */
export interface ServerInternals {
  /** The current handlers, by method; the live map. */
  readonly handlers: Map<string, SdkHandler>
  /** The announced capabilities. */
  readonly capabilities: ServerCapabilities
}

/**
 * Reads private members of SDK v1: its public API cannot read a handler, and sets one only with a schema of its method. No other
 * code looks behind the SDK's types.
 *
 * @throws AdapterError `unsupported_sdk` if they are missing.
 */
export function internalsOf(server: Server): ServerInternals {
  const handlers: unknown = server["_requestHandlers"]
  const capabilities: unknown = server["_capabilities"]
  if (handlers instanceof Map && typeof capabilities === "object" && capabilities !== null) {
    return { handlers, capabilities }
  }
  throw new AdapterError(
    'the server is not a "Server" of SDK v1: expected a "Server" of "@modelcontextprotocol/sdk" 1.26 or ' +
      'later, such as the property "server" of an "McpServer"',
    { code: "unsupported_sdk" },
  )
}
