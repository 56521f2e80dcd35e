import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js"
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js"
import type { Params, Result } from "../../handlers/handlers.js"

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
