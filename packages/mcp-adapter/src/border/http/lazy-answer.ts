import type { Cancel } from "../../runtime/host.js"
import type { Encoded } from "../server/encoded.js"
import { type EventStream, toEvent } from "./event-stream.js"
import { type RequestHead, toJsonAnswer } from "./exchange.js"
import type { Visitor } from "./site.js"

/** The answer to a POST: JSON as long as possible, otherwise an event stream. */
export interface LazyAnswer {
  /** Sends a message before the last one. Dropped if the client accepts JSON only. */
  send(json: Encoded): void
  /**
   * Sends the last message and ends.
   *
   * @param status - The HTTP status, if not sent yet. Default 200.
   */
  finish(json: Encoded, status?: number): void
  /** Ends without a last message. */
  end(): void
  /** Whether the event stream has begun. */
  begun(): boolean
}

/** Options of a lazy answer. */
export interface LazyOptions {
  /** The content types that the client accepts. */
  readonly accepts: Accepts
  /** Further headers for either form. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the stream's first text, when the stream begins. Default: none. */
  readonly opening?: () => string
  /** Formats a message as an event. Default: without an id. */
  readonly event?: (json: Encoded) => Encoded
}

/** Answer forms accepted by a client. */
export type Accepts = "both" | "json" | "events"

/**
 * Creates an answer with one JSON body. It becomes an event stream, kept alive by comments, if a message comes before the last
 * one or the last takes more than a few seconds: proxies cut connections that stay silent for long.
 */
export function createLazyAnswer(visitor: Visitor, options: LazyOptions): LazyAnswer {
  const { accepts, headers = {}, opening = () => "", event = toEvent } = options
  let stream: EventStream | undefined
  let ended = false
  const begin = (): EventStream => {
    rest()
    stream ??= visitor.stream(headers)
    return stream
  }
  const open = (): EventStream => {
    const begins = stream === undefined
    const opened = begin()
    const first = begins ? opening() : ""
    if (first !== "") opened.write(first)
    return opened
  }
  const rest: Cancel = accepts === "json" ? () => {} : visitor.beats.add(() => !ended && open().write(WAITING))
  visitor.onEnd(() => {
    ended = true
    rest()
  })
  return {
    send(json) {
      if (!ended && accepts !== "json") open().write(event(json))
    },
    finish(json, status = 200) {
      if (ended) return
      ended = true
      rest()
      if (stream === undefined && accepts !== "events") return visitor.send(toJsonAnswer(status, json, headers))
      const last = open()
      last.write(event(json))
      last.end()
    },
    end() {
      if (ended) return
      ended = true
      begin().end()
    },
    begun: () => stream !== undefined,
  }
}

/** A comment. */
const WAITING = ": the answer is on its way\n\n"

/**
 * Reads which forms a client accepts (RFC 9110, 12.5.1). No header, or any type, means both. A client that names neither form
 * gets JSON.
 */
export function readAccepts({ headers }: RequestHead): Accepts {
  const accept = headers.get("accept")?.toLowerCase() ?? "*/*"
  const any = accept.includes("*/*") || accept.trim() === ""
  const events = any || accept.includes("text/event-stream") || accept.includes("text/*")
  const json = any || accept.includes("application/json") || accept.includes("application/*")
  if (events && json) return "both"
  return events ? "events" : "json"
}
