import { isRecord, unref } from "@x/base"
import { AsyncSubject, firstValueFrom } from "rxjs"
import type { Channel, WireClosed, WireClosedCode } from "./channel.js"
import { type AnyFrame, type HelloFrame, readFrame, WIRE_VERSION } from "./frames.js"
import { defaultWireLimits, type WireLimits } from "./limits.js"

/** The common part of both sides of a wire: hello, version check, silence detection, goodbye. */
export interface Session {
  /** Sends a frame. Frames sent after the end are dropped. */
  send(frame: object): void
  /** Sends a serialized frame. */
  sendText(frame: string): void
  /** Whether the session is still open. */
  isOpen(): boolean
  /** Says goodbye and ends the session; idempotent. */
  close(code: WireClosedCode, reason?: string): void
  /** Settles once the session has ended. */
  readonly closed: Promise<WireClosed>
}

/** Options for one session side. */
export interface SessionOptions {
  /** The fields of this side's hello. */
  readonly hello: Omit<HelloFrame, "t" | "wire">
  /** The longest frame that this side accepts. */
  readonly longest: () => number
  /** How long the other side may be silent, in milliseconds. Default: unlimited. */
  readonly silentMs?: number
  /** Called when the other side has said hello in the same version. */
  greeted(hello: AnyFrame): void
  /** Called for every later frame. */
  frame(frame: AnyFrame): void
  /** Called once, when the session has ended. */
  closed(end: WireClosed): void
}

/** Opens a session on a channel and says hello. */
export function openSession(channel: Channel, options: SessionOptions): Session {
  const { hello } = options
  let greeted = false
  let ended = false
  const closed = new AsyncSubject<WireClosed>()
  const watch = watchSilence(options.silentMs, (ms) =>
    close("lost", `the other side was silent for ${Math.round(ms / 100) / 10} s`),
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
    if (length > most) close("limit", `found a frame of ${length} characters, expected at most ${most}`)
    else close("malformed", "found a message that is not a frame of this wire")
  }
  const leave = ({ code, reason }: AnyFrame): void => {
    end({ code: CODES.find((known) => known === code) ?? "left", reason: toReason(reason) })
    channel.close()
  }

  // The caller must hold the session before the first frame is delivered.
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

/** Returns the reason why the two sides cannot talk to each other, if any. */
function findFault({ t, wire, role }: AnyFrame, own: "offer" | "mirror"): WireClosed | undefined {
  if (t !== "hello") return { code: "malformed", reason: `expected "hello" first, found "${t.slice(0, 20)}"` }
  if (wire !== WIRE_VERSION) {
    const reason = `the ${own} speaks wire version ${WIRE_VERSION}, the other side version ${Number(wire)}: update the older one`
    return { code: "version", reason }
  }
  if (role === own)
    return { code: "malformed", reason: `both sides ${own} a service: one must offer and the other mirror` }
  return undefined
}

/** Watches for silence. A page that was suspended gets extra time to process the frames that arrived meanwhile. */
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

/** Parses the limits that the other side announced. Missing or invalid limits get their default. */
export function readLimits(announced: unknown): WireLimits {
  if (!isRecord(announced)) return defaultWireLimits
  const limits: Record<string, number> = { ...defaultWireLimits }
  for (const name of Object.keys(defaultWireLimits)) {
    const value = announced[name]
    if (typeof value === "number" && value > 0) limits[name] = value
  }
  return { ...defaultWireLimits, ...limits }
}
