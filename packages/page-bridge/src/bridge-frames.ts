import { isRecord, parseJson } from "@x/base"
import type { Channel } from "@x/service-wire"

/** The prefix of all versions of the subprotocol. */
export const PROTOCOL_NAME = "agentic-page."

/** The WebSocket subprotocol of pages, with its version. */
export const PROTOCOL = "agentic-page.1"

/** Marks the subprotocol that carries a token. Pages cannot set headers, and URLs end up in logs. */
export const TOKEN_PREFIX = "token."

/** The prefix of a pairing link's fragment. Browsers never send fragments to a server. */
export const PAIRING_FRAGMENT = "agentic-bridge="

/** A page's first frame, which describes it. */
export interface PageFrame {
  /** Discriminates the frames. */
  readonly t: "page"
  /** The application's name. */
  readonly app: string
  /** The tab's id, which the page keeps over reloads. A duplicated tab sends the same id. */
  readonly tab: string
  /** The id of this page load. */
  readonly load: string
  /** The document's title. */
  readonly title: string
  /** Whether the tab is in front. */
  readonly focused: boolean
}

/** Sent when the tab's focus or title has changed. */
export interface FocusFrame {
  /** Discriminates the frames. */
  readonly t: "focus"
  /** Whether the tab is in front. */
  readonly focused: boolean
  /** The document's current title. */
  readonly title: string
}

/** Sent when the page is unloaded, perhaps for a reload. */
export interface LeaveFrame {
  /** Discriminates the frames. */
  readonly t: "leave"
}

/** Tells the page to offer its service. */
export interface WelcomeFrame {
  /** Discriminates the frames. */
  readonly t: "welcome"
  /** The tab's id from now on. */
  readonly tab: string
}

/** Rejects the page, which should not retry unchanged. */
export interface RefusedFrame {
  /** Discriminates the frames. */
  readonly t: "refused"
  /** The reason, for programs. */
  readonly code: RefusalCode
  /** The reason, for people. */
  readonly reason: string
}

/**
 * Why a page was rejected: `unauthorized` (missing or invalid credentials), `version` (another protocol version), `app_taken`
 * (another origin already uses the application's name), `limit` (too many pages, applications or tabs) or `malformed` (its
 * description is invalid).
 */
export type RefusalCode = "unauthorized" | "version" | "app_taken" | "limit" | "malformed"

const REFUSALS: readonly RefusalCode[] = ["unauthorized", "version", "app_taken", "limit", "malformed"]

/** A channel shared by the wire and by frames about the page itself. */
export interface BridgeChannel {
  /** The part that carries the service. */
  readonly wire: Channel
  /** Sends a frame about the page. */
  say(frame: PageFrame | FocusFrame | LeaveFrame | WelcomeFrame | RefusedFrame): void
}

/** Receives frames about the page. */
export interface BridgeListener {
  /** Called for each frame about the page. */
  said(frame: Readonly<Record<string, unknown>>): void
  /** Called when the channel is closed, even if nothing listens on the wire. */
  closed(reason: string): void
}

/**
 * Splits a channel: frames with the prefix `!` describe the page, all others belong to the wire, which also rejects invalid
 * ones.
 */
export function partChannel(channel: Channel, listener: BridgeListener): BridgeChannel {
  const early: string[] = []
  let wire: Parameters<Channel["listen"]>[0] | undefined
  let end: string | undefined

  channel.listen({
    frame(frame) {
      if (frame.startsWith(MARK)) {
        const said = frame.length > LONGEST ? undefined : parseJson(frame.slice(MARK.length))
        listener.said(isRecord(said) ? said : {})
      } else if (wire !== undefined) wire.frame(frame)
      else if (early.length < EARLY) early.push(frame)
    },
    closed(reason) {
      end = reason
      wire?.closed(reason)
      listener.closed(reason)
    },
  })
  return {
    wire: {
      send: channel.send,
      listen(next) {
        wire = next
        for (const frame of early.splice(0)) next.frame(frame)
        if (end !== undefined) next.closed(end)
      },
      close: channel.close,
    },
    say: (frame) => channel.send(MARK + JSON.stringify(frame)),
  }
}

const MARK = "!"
const LONGEST = 10_000

/** The most frames kept until the wire listens. A well-behaved side sends one. */
const EARLY = 4

/** Parses a page's description. Returns `undefined` if it is invalid. */
export function readPage(said: Readonly<Record<string, unknown>>): PageFrame | undefined {
  const { t, app, tab, load, title, focused } = said
  if (t !== "page" || !isName(app) || !isName(tab) || !isName(load)) return undefined
  return { t, app, tab, load, title: toTitle(title), focused: focused === true }
}

/** Parses a rejection. */
export function readRefusal({ code, reason }: Readonly<Record<string, unknown>>): RefusedFrame {
  const known = REFUSALS.find((each) => each === code) ?? "malformed"
  return { t: "refused", code: known, reason: typeof reason === "string" ? reason : "the host rejected the page" }
}

/** Normalizes a document's title: one line, at most 100 characters. */
export function toTitle(title: unknown): string {
  return typeof title === "string" ? title.replace(/\s+/g, " ").trim().slice(0, TITLE) : ""
}

const TITLE = 100

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= NAME
}

const NAME = 100

/** Rejects a page with a reason and closes its channel. */
export function turnAway(channel: Channel, code: RefusalCode, reason: string): void {
  const { say, wire } = partChannel(channel, { said: () => {}, closed: () => {} })
  say({ t: "refused", code, reason })
  wire.close(reason)
}
