import type { Cancel } from "../../runtime/host.js"
import type { Encoded } from "../server/encoded.js"
import { type EventStream, toEvent } from "./event-stream.js"
import { type RequestHead, toJsonAnswer } from "./exchange.js"
import type { Visitor } from "./site.js"

/** The answer to a POST, in JSON as long as it can be, else as an event stream. */
export interface LazyAnswer {
  /** Sends a message that comes before the last. Where only JSON is accepted, it has nowhere to go and is left out. */
  send(json: Encoded): void
  /**
   * Sends the last message, and ends.
   *
   * @param status - The HTTP status, where it is not sent yet. Default 200.
   */
  finish(json: Encoded, status?: number): void
  /** Ends without a last message. */
  end(): void
  /** Whether it is an event stream already. */
  begun(): boolean
}

/** How an answer is given. */
export interface LazyOptions {
  /** What the client takes. */
  readonly accepts: Accepts
  /** Further headers, of either form. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the stream begins with; asked when it begins. Default: nothing. */
  readonly opening?: () => string
  /** Makes an event of a message. Default: without an id. */
  readonly event?: (json: Encoded) => Encoded
}

/** The forms of an answer that a client takes. */
export type Accepts = "both" | "json" | "events"

/**
 * Answers with one JSON body, unless something comes before the last message, or the last takes more than a few seconds: then
 * with an event stream, which comments keep alive. A proxy that has heard nothing for long would cut the connection.
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
 * What a client takes (RFC 9110, 12.5.1): nothing said, or anything, is both. Who names neither form is given JSON: there is
 * nothing it could ask for that would be more to its liking.
 */
export function readAccepts({ headers }: RequestHead): Accepts {
  const accept = headers.get("accept")?.toLowerCase() ?? "*/*"
  const any = accept.includes("*/*") || accept.trim() === ""
  const events = any || accept.includes("text/event-stream") || accept.includes("text/*")
  const json = any || accept.includes("application/json") || accept.includes("application/*")
  if (events && json) return "both"
  return events ? "events" : "json"
}
