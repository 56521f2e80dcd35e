import { sameValue } from "@x/tool-schemas/json"
import { hasMethod, memberOf } from "../member-of.js"
import { type Kind, type Recognised, recogniseSource } from "./recognise-source.js"
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
  let stopWatching = (): void => {}
  let released = false

  const open = (): Subscription<Value> => {
    const opened: Subscription<Value> = openKind(kind, {
      next(value) {
        if (opened !== current) return
        if (!kind.isRead && looking.note(value)) later.add(lookAgain)
        voice.tell(value)
      },
      failed(cause) {
        if (opened !== current) return
        voice.fail(cause)
        startWithRoot()
      },
    })
    return opened
  }
  const stop = (old: Subscription<Value> | undefined): void => old && stopSafely(old, voice.trouble)
  const lookAgain = (): void => {
    if (released || current === undefined || current.ended) return
    const again = open()
    const { said } = again
    if (!said || again.failed || !looking.isTruth(said.value)) return void stop(again)
    const before = current
    current = again
    stop(before)
    if (looking.isNews(said.value)) voice.tell(said.value)
  }

  const start = (): boolean => {
    current = open()
    const { said, failed } = current
    looking.began(said)
    if (failed) voice.fail(failed.cause)
    else if (said) voice.tell(said.value)
    return !failed
  }
  /** A pipe that has failed is over for good; what it was piped from goes on, so each change of that is a reason to try again. */
  const startWithRoot = (): void => {
    if (!current?.ended) return
    stopWatching()
    stopWatching = root.watch(() => {
      if (!released && start()) stopWatching()
    })
  }

  if (!start()) startWithRoot()
  return {
    release() {
      released = true
      later.delete(lookAgain)
      stopWatching()
      const last = current
      current = undefined
      stop(last)
    },
  }
}

/** One subscription of a source. */
interface Subscription<Value> {
  /** The last value it gave while it was being opened. */
  said?: { readonly value: Value }
  /** Why it failed while it was being opened. */
  failed?: { readonly cause: unknown }
  /** Whether it says nothing more. */
  ended: boolean
  /** Ends it; may throw. */
  stop: () => void
}

/** Who hears of a subscription once it is open. */
interface Heard<Value> {
  next(value: Value): void
  failed(cause: unknown): void
}

/** Opens a source. What it says meanwhile is put down; of a burst only the last. */
function openKind<Value>(kind: Kind<Value>, heard: Heard<Value>): Subscription<Value> {
  const subscription: Subscription<Value> = { ended: false, stop: () => {} }
  let opening = true
  try {
    subscription.stop = kind.open({
      next(value) {
        if (subscription.ended) return
        if (opening) subscription.said = { value }
        else heard.next(value)
      },
      error(cause, goesOn = false) {
        if (subscription.ended) return
        subscription.ended = !goesOn
        if (opening) subscription.failed = { cause }
        else heard.failed(cause)
      },
      complete() {
        subscription.ended = true
      },
    })
  } catch (cause) {
    subscription.failed = { cause }
    subscription.ended = true
  }
  opening = false
  return subscription
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

// A run is what happens between two turns of the queue of microtasks: an emission within an emission is always in one.
let runs = 0
let running = false
const later = new Set<() => void>()

function currentRun(): number {
  if (!running) {
    running = true
    queueMicrotask(() => {
      running = false
      runs += 1
      settleSources()
    })
  }
  return runs
}

/** Looks again at once at every source that may not have told the truth last. Otherwise that is done at the end of the run. */
export function settleSources(): void {
  for (const look of [...later]) if (later.delete(look)) look()
}

/** What a pipe of rxjs operators begins with, as far as following it once more is known to run nothing. */
interface Root {
  /** Tells of every change of it from now on, until the answer is called. Neither throws. */
  watch(changed: () => void): () => void
  /** Whether it is there and says nothing when it is subscribed, so that what the pipe says at once is an operator's. */
  isSilent(): boolean
}

/** A store or a subject at the bottom is hot. Whatever else there is may be cold, and is left alone. */
function findRoot(source: unknown): Root {
  let bottom = source
  for (let below = source; hasMethod(below, "subscribe"); below = memberOf(below, "source")) bottom = below
  const watch = (changed: () => void): (() => void) => {
    const kind = toHotKind(bottom)
    if (kind === undefined || bottom === source) return () => {}
    const watching = openKind(kind, { next: changed, failed: () => {} })
    // Whoever follows the source itself is told of what it throws.
    return () => stopSafely(watching, () => {})
  }
  const isSilent = (): boolean => {
    const kind = hasMethod(bottom, "next") ? toHotKind(bottom) : undefined
    if (kind === undefined) return false
    const asked = openKind(kind, { next: () => {}, failed: () => {} })
    stopSafely(asked, () => {})
    return asked.said === undefined
  }
  return { watch, isSilent }
}

function toHotKind(bottom: unknown): Kind<unknown> | undefined {
  if (typeof bottom !== "object" || bottom === null) return undefined
  try {
    const kind = recogniseSource(originOf(bottom))
    return !kind.constant && (kind.isRead || hasMethod(bottom, "next")) ? kind : undefined
  } catch {
    return undefined
  }
}

function stopSafely({ stop }: Pick<Subscription<never>, "stop">, trouble: (cause: unknown) => void): void {
  try {
    stop()
  } catch (cause) {
    trouble(cause)
  }
}
