import { isRecord } from "@x/tool-schemas/json"
import { AsyncSubject, firstValueFrom } from "rxjs"
import type { Channel, WireClosed, WireClosedCode } from "./channel.js"
import { type AnyFrame, type HelloFrame, readFrame, WIRE_VERSION } from "./frames.js"
import { defaultWireLimits, type WireLimits } from "./limits.js"
import { unref } from "./time.js"

/** What both sides of a wire do alike: greet, understand each other or part, notice silence, say goodbye. */
export interface Session {
  /** Sends a frame; after the end it is dropped. */
  send(frame: object): void
  /** Sends a frame that is written already. */
  sendText(frame: string): void
  /** Whether it has not ended. */
  isOpen(): boolean
  /** Says goodbye and ends it; idempotent. */
  close(code: WireClosedCode, reason?: string): void
  /** Settles once it has ended. */
  readonly closed: Promise<WireClosed>
}

/** One side of a session. */
export interface SessionOptions {
  /** What this side is, and what else it says first. */
  readonly hello: Omit<HelloFrame, "t" | "wire">
  /** The longest frame this side takes. */
  readonly longest: () => number
  /** How long the other side may be silent, in milliseconds. Default: however long. */
  readonly silentMs?: number
  /** The other side has greeted, and speaks the same version. */
  greeted(hello: AnyFrame): void
  /** Any later frame. */
  frame(frame: AnyFrame): void
  /** It has ended; told once. */
  closed(end: WireClosed): void
}

/** Greets on a channel. */
export function openSession(channel: Channel, options: SessionOptions): Session {
  const { hello } = options
  let greeted = false
  let ended = false
  const closed = new AsyncSubject<WireClosed>()
  const watch = watchSilence(options.silentMs, (ms) =>
    close("lost", `nothing was heard from the other side for ${Math.round(ms / 100) / 10} s`),
  )

  const end = (outcome: WireClosed): void => {
    if (ended) return
    ended = true
    watch.stop()
    options.closed(outcome)
    closed.next(outcome)
    closed.complete()
  }
  const send = (frame: object): void => sendText(JSON.stringify(frame))
  const sendText = (frame: string): void => {
    if (!ended) channel.send(frame)
  }
  function close(code: WireClosedCode, reason = GOODBYE): void {
    if (ended) return
    send({ t: "bye", code, reason })
    end({ code, reason })
    channel.close(reason)
  }
  const greet = (frame: AnyFrame): void => {
    const fault = findFault(frame, hello.role)
    if (fault !== undefined) close(fault.code, fault.reason)
    else {
      greeted = true
      options.greeted(frame)
    }
  }
  const take = (text: string): void => {
    if (ended) return
    watch.heard()
    const frame = readFrame(text, options.longest())
    if (frame === undefined) refuse(text)
    else if (frame.t === "bye") leave(frame)
    else if (greeted) options.frame(frame)
    else greet(frame)
  }
  const refuse = ({ length }: string): void => {
    const most = options.longest()
    if (length > most) close("limit", `a frame of ${length} characters came, at most ${most} are taken`)
    else close("malformed", "something came that is no frame of this wire")
  }
  const leave = ({ code, reason }: AnyFrame): void => {
    end({ code: CODES.find((known) => known === code) ?? "left", reason: toReason(reason) })
    channel.close()
  }

  // Whoever opened it is to have it in hand when the first frame comes.
  queueMicrotask(() => channel.listen({ frame: take, closed: (reason) => end({ code: "lost", reason }) }))
  send({ t: "hello", wire: WIRE_VERSION, ...hello } satisfies HelloFrame)
  return { send, sendText, isOpen: () => !ended, close, closed: firstValueFrom(closed) }
}

const GOODBYE = "the other side has left"
const CODES: readonly WireClosedCode[] = ["left", "lost", "version", "malformed", "limit"]

function toReason(reason: unknown): string {
  return typeof reason === "string" ? reason.slice(0, REASON) : GOODBYE
}

const REASON = 500

/** Why two sides cannot go on together. */
function findFault({ t, wire, role }: AnyFrame, own: "offer" | "mirror"): WireClosed | undefined {
  if (t !== "hello") return { code: "malformed", reason: `expected "hello" first, found "${t.slice(0, 20)}"` }
  if (wire !== WIRE_VERSION) {
    const reason = `the ${own} speaks version ${WIRE_VERSION} of the wire, the other side version ${Number(wire)}: update the older one`
    return { code: "version", reason }
  }
  if (role === own)
    return { code: "malformed", reason: `both sides ${own} a service: one has to offer, the other to mirror` }
  return undefined
}

/** Watches for silence; a page that was asleep gets the time to hear what has come meanwhile. */
function watchSilence(ms: number | undefined, silent: (ms: number) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = (after: number, then: () => void): void => {
    clearTimeout(timer)
    timer = setTimeout(then, after)
    unref(timer)
  }
  const heard = (): void => {
    if (ms !== undefined) start(ms, () => start(Math.min(ms / 4, 1_000), () => silent(ms)))
  }
  heard()
  return { heard, stop: () => clearTimeout(timer) }
}

/** The limits that the other side announced; what it does not say, or says wrongly, is as usual. */
export function readLimits(announced: unknown): WireLimits {
  if (!isRecord(announced)) return defaultWireLimits
  const limits: Record<string, number> = { ...defaultWireLimits }
  for (const name of Object.keys(defaultWireLimits)) {
    const value = announced[name]
    if (typeof value === "number" && value > 0) limits[name] = value
  }
  return { ...defaultWireLimits, ...limits }
}
