import type { Observable } from "rxjs"
import type { Ask } from "./call-tool.js"
import type { Refused } from "./registrations.js"

/** How a service is offered. */
export interface WebMcpOptions {
  /**
   * Stands in front of every tool's name, such as `shop.`: for a page with several services. Of letters, digits, `_`, `-` and
   * `.`, at most 20. Default: nothing, so that the names are those that MCP clients of the same service see.
   */
  readonly prefix?: string
  /**
   * Asks the person. Default: nobody can be asked, and actions with questions answer that they have to be done in the page.
   */
  readonly ask?: Ask
}

/** How an offer is doing. */
export type WebMcpStatus =
  /** There is no WebMCP here, and nothing is done. */
  | { readonly state: "unsupported"; readonly reason: string }
  /** The service has not spoken yet. */
  | { readonly state: "starting" }
  /** So many tools are registered; those the browser did not take are named. */
  | { readonly state: "offered"; readonly tools: number; readonly refused: readonly Refused[] }
  /** The browser takes no tools of this page, and says why. */
  | { readonly state: "refused"; readonly reason: string }
  /** What was offered cannot be offered any more. */
  | { readonly state: "failed"; readonly reason: string }
  /** The offer was taken back. */
  | { readonly state: "closed" }

/** A service on offer. */
export interface WebMcpOffer {
  /** How it is doing: now, and on every change. Completes when the offer is taken back. */
  readonly status: Observable<WebMcpStatus> & { readonly value: WebMcpStatus }
  /** Takes every tool back, and tells calls that run to stop. Does not close the service. Idempotent. */
  close(): void
}
