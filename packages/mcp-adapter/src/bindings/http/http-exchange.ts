import type { AuthInfo } from "@modelcontextprotocol/server"
import type { Principal } from "@x/agentic-service"
import type { Path } from "../../names/path.js"

/** What is known about a request besides the request. */
export interface RequestExtra {
  /** What the host's own authentication found out; handed to the `principal` option unchanged. */
  readonly authInfo?: AuthInfo | undefined
  /** Where the request comes from; anonymous callers are told apart by it where limits count. */
  readonly remoteAddress?: string | undefined
  /** The body, where the host has parsed it already; then no limit is applied to it here. */
  readonly parsedBody?: unknown
  /** Ends the connection at once. Needed where an errored stream alone does not: Node would wait for the peer to read. */
  readonly disconnect?: (() => void) | undefined
}

/** A request that has passed the checks. */
export interface HttpExchange {
  /** The request; its body has been read. */
  readonly request: Request
  /** The parsed body; `undefined` where the method has none. */
  readonly body: unknown
  /** The service that is called, as link keys from the root; empty where links are no endpoints. */
  readonly path: Path
  /** Who calls; `undefined` is anonymous. */
  readonly principal: Principal | undefined
  /** The rest of what is known. */
  readonly extra: RequestExtra
  /** Runs when the stream of the answer has ended, where it is one. */
  readonly ended?: () => void
}

/** One era's half of the HTTP endpoint. */
export interface HttpHalf {
  /** Answers one request of this era. */
  serve(exchange: HttpExchange): Promise<Response>
  /** Ends what is open: streams end, listen streams with their final answer, calls are aborted. */
  close(): Promise<void>
}
