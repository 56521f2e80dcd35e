import type { Channel } from "@x/service-wire"
import { isRecord, parseJson } from "@x/tool-schemas/json"

/** How the subprotocols of pages begin, of whatever version. */
export const PROTOCOL_NAME = "agentic-page."

/** The WebSocket subprotocol of a page that offers its service; the version is in its name. */
export const PROTOCOL = "agentic-page.1"

/** What a token is offered as: a subprotocol beside {@link PROTOCOL}, since a page can set no header, and a URL ends up in logs. */
export const TOKEN_PREFIX = "token."

/** What a page says of itself, first. */
export interface PageFrame {
  /** Tells the frames apart. */
  readonly t: "page"
  /** The application. */
  readonly app: string
  /** The tab, as the page remembers it over reloads; another tab that was duplicated says the same. */
  readonly tab: string
  /** This load of the page, and no other. */
  readonly load: string
  /** The title of its document. */
  readonly title: string
  /** Whether a person has it in front. */
  readonly focused: boolean
}

/** That a person has it in front, or not any more. */
export interface FocusFrame {
  /** Tells the frames apart. */
  readonly t: "focus"
  /** Whether a person has it in front. */
  readonly focused: boolean
  /** The title of its document now. */
  readonly title: string
}

/** That the page is left; perhaps it is reloaded. */
export interface LeaveFrame {
  /** Tells the frames apart. */
  readonly t: "leave"
}

/** That the page may offer its service. */
export interface WelcomeFrame {
  /** Tells the frames apart. */
  readonly t: "welcome"
  /** What the tab is called from now on. */
  readonly tab: string
}

/** That the page may not, and should not try again as it is. */
export interface RefusedFrame {
  /** Tells the frames apart. */
  readonly t: "refused"
  /** Why, for programs. */
  readonly code: RefusalCode
  /** Why, for people. */
  readonly reason: string
}

/**
 * Why a page was refused: it has no right (`unauthorized`), is of another version (`version`), has the name of somebody else's
 * application (`app_taken`), there are too many (`limit`), or it said something that cannot be read (`malformed`).
 */
export type RefusalCode = "unauthorized" | "version" | "app_taken" | "limit" | "malformed"

const REFUSALS: readonly RefusalCode[] = ["unauthorized", "version", "app_taken", "limit", "malformed"]

/** A channel shared by the wire and by what page and host say about the page itself. */
export interface BridgeChannel {
  /** What carries the service. */
  readonly wire: Channel
  /** Says something about the page. */
  say(frame: PageFrame | FocusFrame | LeaveFrame | WelcomeFrame | RefusedFrame): void
}

/** Who hears what is said about the page. */
export interface BridgeListener {
  /** Something was said. */
  said(frame: Readonly<Record<string, unknown>>): void
  /** The channel is closed; told whether or not the wire listens. */
  closed(reason: string): void
}

/** Parts a channel: what begins with `!` is about the page, the rest is the wire's. What is no frame of ours is the wire's to refuse. */
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

/** How many frames wait until the wire listens; an honest side sends one. */
const EARLY = 4

/** Reads what a page says of itself; `undefined` where it cannot be read. */
export function readPage(said: Readonly<Record<string, unknown>>): PageFrame | undefined {
  const { t, app, tab, load, title, focused } = said
  if (t !== "page" || !isName(app) || !isName(tab) || !isName(load)) return undefined
  return { t, app, tab, load, title: toTitle(title), focused: focused === true }
}

/** Reads why a page was refused. */
export function readRefusal({ code, reason }: Readonly<Record<string, unknown>>): RefusedFrame {
  const known = REFUSALS.find((each) => each === code) ?? "malformed"
  return { t: "refused", code: known, reason: typeof reason === "string" ? reason : "the host refused the page" }
}

/** The title of a document, as far as it is shown: on one line, and not too long. */
export function toTitle(title: unknown): string {
  return typeof title === "string" ? title.replace(/\s+/g, " ").trim().slice(0, TITLE) : ""
}

const TITLE = 100

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= NAME
}

const NAME = 100

/** Tells a page why it is not let in, and closes its channel. */
export function turnAway(channel: Channel, code: RefusalCode, reason: string): void {
  const { say, wire } = partChannel(channel, { said: () => {}, closed: () => {} })
  say({ t: "refused", code, reason })
  wire.close(reason)
}
