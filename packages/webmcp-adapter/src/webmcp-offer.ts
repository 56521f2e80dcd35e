import type { Observable } from "rxjs"
import type { Ask } from "./call-page-tool.js"
import type { Refused } from "./registrations.js"

/** Options of an offer. */
export interface WebMcpOptions {
  /**
   * A prefix of every tool name, such as `shop.`, for pages with several services: at most 20 letters, digits, `_`, `-` and
   * `.`. Default: none, so that the names equal those for MCP clients.
   */
  readonly prefix?: string
  /** Asks the person. Default: no one can be asked, and actions with questions answer that they must be done in the page. */
  readonly ask?: Ask
}

/** The status of an offer. */
export type WebMcpStatus =
  /** The browser has no WebMCP, so no tool is offered. */
  | { readonly state: "unsupported"; readonly reason: string }
  /** The service has not emitted yet. */
  | { readonly state: "starting" }
  /** The number of registered tools, and the tools that the browser rejected. */
  | { readonly state: "offered"; readonly tools: number; readonly refused: readonly Refused[] }
  /** The browser rejects all tools of this page, for this reason. */
  | { readonly state: "refused"; readonly reason: string }
  /** The service can no longer be offered. */
  | { readonly state: "failed"; readonly reason: string }
  /** The offer was closed. */
  | { readonly state: "closed" }

/** A service offered to the browser. */
export interface WebMcpOffer {
  /** The current status and its changes. Completes when the offer is closed. */
  readonly status: Observable<WebMcpStatus> & { readonly value: WebMcpStatus }
  /** Unregisters all tools and aborts running calls. The service stays open. Idempotent. */
  close(): void
}
