import { hasMethod, memberOf, sameValue } from "@x/tool-schemas/json"
import { atEndOfRun, currentRun, forget } from "./end-of-run.js"
import {
  type Kind,
  openKind,
  type Recognised,
  recogniseSource,
  type Subscription,
  stopSafely,
} from "./recognise-source.js"
import type { Source } from "./source.js"
import { originOf } from "./to-observable.js"

/** Who hears of a source that is followed. */
export interface Sink<Value> {
  /** A value. May throw where it is an odd one, which then counts as a failure of the source. */
  next(value: Value): void
  /** The source failed: it has no value until the next one. Told once for as long as it goes on failing; must not throw. */
  fail(cause: unknown): void
  /** Something went wrong that changes no value, such as a release that threw; must not throw. */
  trouble(cause: unknown): void
}

/** A source that is being followed. */
export interface Following {
  /** Lets go of the source; nothing is heard after. Idempotent, never throws. */
  release(): void
}

/** Nothing is held, and nothing more will be heard. */
export const still: Following = { release: () => {} }

/**
 * Follows a source by the laws that hold for every kind: at rest, what was heard last is what a new subscriber would get;
 * a failure is told and passes with the next good value; nothing is thrown at the source or at whoever follows.
 */
export function followSource<Value>(source: Source<Value>, sink: Sink<Value>): Following {
  const voice = createVoice(sink)
  let recognised: Recognised<Value>
  try {
    recognised = recogniseSource(source)
  } catch (cause) {
    voice.fail(cause)
    return still
  }
  if (!recognised.constant) return followKind(recognised, findRoot(source), voice)
  voice.tell(recognised.value)
  return still
}

/** A sink that is told of a failure once for as long as it lasts. */
interface Voice<Value> extends Pick<Sink<Value>, "fail" | "trouble"> {
  /** Hands a value on; an odd one is a failure. Never throws. */
  tell(value: Value): void
}

function createVoice<Value>(sink: Sink<Value>): Voice<Value> {
  let failing = false
  const fail = (cause: unknown): void => {
    if (failing) return
    failing = true
    sink.fail(cause)
  }
  const tell = (value: Value): void => {
    try {
      sink.next(value)
      failing = false
    } catch (cause) {
      fail(cause)
    }
  }
  return { tell, fail, trouble: (cause) => sink.trouble(cause) }
}

function followKind<Value>(kind: Kind<Value>, root: Root, voice: Voice<Value>): Following {
  const looking = createLookAgain<Value>(root)
  let current: Subscription<Value> | undefined
  let stopWatching: (() => void) | undefined
  let released = false

  const open = (): Subscription<Value> => {
    const opened: Subscription<Value> = openKind(kind, {
      next: (value) => opened === current && hear(value),
      failed: (cause) => opened === current && broke(cause),
    })
    return opened
  }
  const stop = (old: Subscription<Value> | undefined): void => old && stopSafely(old, voice.trouble)
  const hear = (value: Value): void => {
    if (!kind.isRead && looking.note(value)) atEndOfRun(lookAgain)
    leaveRoot()
    voice.tell(value)
  }
  const lookAgain = (): void => {
    if (released || current === undefined || current.ended) return
    const again = open()
    const { said } = again
    if (!said || again.failed || released || !looking.isTruth(said.value)) return void stop(again)
    const before = current
    current = again
    stop(before)
    if (looking.isNews(said.value)) voice.tell(said.value)
  }

  const start = (): void => {
    current = open()
    const { said, failed } = current
    looking.began(said)
    if (said && !failed) leaveRoot()
    if (failed) broke(failed.cause)
    else if (said) voice.tell(said.value)
    if (released) stop(current)
  }
  /** A pipe that has failed is over for good; what it was piped from goes on, so each change of that is a reason to try again. */
  const broke = (cause: unknown): void => {
    voice.fail(cause)
    if (current?.ended && !released) stopWatching ??= root.watch(() => current?.ended && start())
  }
  const leaveRoot = (): void => {
    const stopIt = stopWatching
    stopWatching = undefined
    stopIt?.()
  }

  start()
  return {
    release() {
      released = true
      forget(lookAgain)
      leaveRoot()
      const last = current
      current = undefined
      stop(last)
    },
  }
}

/** Decides whether to look at a source again, and what to make of what is found. */
interface LookAgain<Value> {
  /** The source was opened, and said this at once. */
  began(said: { readonly value: Value } | undefined): void
  /** Notes a value; says whether the order in which values came may have been wrong. */
  note(value: Value): boolean
  /** Whether a value that a new subscription gave at once is the source's newest. */
  isTruth(value: Value): boolean
  /** Whether it is another than was heard last. */
  isNews(value: Value): boolean
}

/**
 * A source that is told to emit while it is emitting tells those who subscribed later the newest value first and the one
 * before it last. Only what emitted twice in one run of code can have done so, and only what speaks at once when it is
 * subscribed can be asked. What then starts over from its first value (`scan`, `startWith`) is cold: its own say stands.
 */
function createLookAgain<Value>(root: Root): LookAgain<Value> {
  let first: { readonly value: Value } | undefined
  let startsOver = false
  let run = -1
  let heard: Value[] = []
  return {
    began(said) {
      first = said
    },
    note(value) {
      if (first === undefined || startsOver) return false
      const now = currentRun()
      if (now !== run) heard = []
      run = now
      heard.push(value)
      if (heard.length > remembered) heard.shift()
      if (heard.length === 2) startsOver = root.isSilent()
      return heard.length > 1 && !startsOver
    },
    isTruth(value) {
      const known = heard.some((one) => Object.is(one, value)) || heard.some((one) => sameValue(one, value))
      startsOver = !known && first !== undefined && sameValue(first.value, value)
      return !startsOver
    },
    isNews: (value) => !Object.is(heard.at(-1), value),
  }
}

/** A longer burst has its truth among its last values. */
const remembered = 100

/** What a pipe of rxjs operators begins with, as far as it is known to go on when the pipe has failed. */
interface Root {
  /** Tells of every change of it from now on, until the answer is called; never while it is being opened. Neither throws. */
  watch(changed: () => void): () => void
  /** Whether it is there and says nothing when it is subscribed, so that what the pipe says at once is an operator's. */
  isSilent(): boolean
}

/**
 * A store or a subject at the bottom is hot: following it runs nothing. What {@link toObservable} was given, and what had
 * spoken and not ended when the pipe failed, is started again as it would have gone on. Whatever else there is is left alone.
 */
function findRoot(source: unknown): Root {
  let bottom = source
  for (let below = source; hasMethod(below, "subscribe"); below = memberOf(below, "source")) bottom = below
  const watch = (changed: () => void): (() => void) => {
    if (bottom === source) return () => {}
    const hot = toHotKind(bottom)
    if (hot !== undefined) return openQuietly(hot, changed).stop
    return isAlive(bottom) ? watchLater(bottom, changed) : () => {}
  }
  const isSilent = (): boolean => {
    const kind = hasMethod(bottom, "next") ? toHotKind(bottom) : undefined
    if (kind === undefined) return false
    const { said, stop } = openQuietly(kind, () => {})
    stop()
    return said === undefined
  }
  return { watch, isSilent }
}

function toHotKind(bottom: unknown): Kind<unknown> | undefined {
  const kind = toKind(bottom)
  return kind && (kind.isRead || hasMethod(bottom, "next")) ? kind : undefined
}

function toKind(bottom: unknown): Kind<unknown> | undefined {
  if (typeof bottom !== "object" || bottom === null) return undefined
  try {
    const kind = recogniseSource(originOf(bottom)?.source ?? bottom)
    return kind.constant ? undefined : kind
  } catch {
    return undefined
  }
}

function isAlive(bottom: unknown): boolean {
  return typeof bottom === "object" && bottom !== null && originOf(bottom)?.isAlive === true
}

/**
 * Outside of what it is told in: an effect that is made while an effect runs would belong to that one, and end with it. What
 * it says at once may be its next good value already.
 */
function watchLater(bottom: unknown, changed: () => void): () => void {
  let stop = (): void => {}
  const open = (): void => {
    const kind = toKind(bottom)
    if (kind === undefined) return
    const opened = openQuietly(kind, () => atEndOfRun(changed))
    stop = opened.stop
    if (opened.said !== undefined) changed()
  }
  atEndOfRun(open)
  return () => {
    forget(open)
    forget(changed)
    stop()
  }
}

function openQuietly(kind: Kind<unknown>, changed: () => void): Pick<Subscription<unknown>, "said" | "stop"> {
  const opened = openKind(kind, { next: changed, failed: () => {} })
  // Whoever follows the source itself is told of what it throws.
  return { ...(opened.said && { said: opened.said }), stop: () => stopSafely(opened, () => {}) }
}
