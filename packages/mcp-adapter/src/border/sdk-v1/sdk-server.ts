import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { ServerCapabilities, ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js"
import { AdapterError } from "../../adapter-error.js"
import type { Params, Result } from "../../handlers/handler.js"

/** Answers one method on a server of SDK v1. */
export type SdkHandler = (request: SdkRequest, extra: Extra) => Promise<Result>

/** A request as the server hands it on. */
export interface SdkRequest {
  /** The method. */
  readonly method: string
  /** Its parameters. */
  readonly params?: Params | undefined
}

/** What the server knows about a request. */
export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>

/** What a server of SDK v1 keeps to itself and a second owner of its methods has to know. */
export interface ServerInternals {
  /** The handlers it has now, by method; the live map. */
  readonly handlers: Map<string, SdkHandler>
  /** What it announces, or will. */
  readonly capabilities: ServerCapabilities
}

/**
 * Reads what SDK v1 has no public way to read: a handler can be put, replaced and removed, but not found. The one place
 * that looks behind the SDK's types.
 *
 * @throws AdapterError `unsupported_sdk` when it is not there.
 */
export function internalsOf(server: Server): ServerInternals {
  const handlers: unknown = server["_requestHandlers"]
  const capabilities: unknown = server["_capabilities"]
  if (handlers instanceof Map && typeof capabilities === "object" && capabilities !== null) {
    return { handlers, capabilities }
  }
  throw new AdapterError(
    "unsupported_sdk",
    'the server has no request handlers that can be found: expected a "Server" of "@modelcontextprotocol/sdk" 1.26 or ' +
      'later, such as the property "server" of an "McpServer"',
  )
}
