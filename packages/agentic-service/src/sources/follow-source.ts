import { sameValue } from "@x/tool-schemas/json"
import { atEndOfRun, currentRun, forget } from "./end-of-run.js"
import { openKind, type Subscription, stopSafely } from "./open-kind.js"
import { type Kind, type Recognised, recogniseSource } from "./recognise-source.js"
import type { Source } from "./source.js"
import { tapPipe } from "./tap-pipe.js"

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
  if (!recognised.constant) return followKind((!recognised.isRead && tapPipe<Value>(source)) || recognised, voice)
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

function followKind<Value>(kind: Kind<Value>, voice: Voice<Value>): Following {
  const looking = createLookAgain()
  let current: Subscription<Value> | undefined
  let newest: { readonly value: Value } | undefined
  let released = false

  const open = (): Subscription<Value> => {
    const opened: Subscription<Value> = openKind(kind, {
      root: (value) => opened === current && !kind.isRead && looking.note(value) && atEndOfRun(lookAgain),
      next: (value) => opened === current && tell(value),
      failed: (cause) => opened === current && voice.fail(cause),
      again: () => opened === current && !released && start(),
    })
    return opened
  }
  const stop = (old: Subscription<Value> | undefined): void => old && stopSafely(old, voice.trouble)
  const tell = (value: Value): void => {
    newest = { value }
    voice.tell(value)
  }
  const lookAgain = (): void => {
    if (released || current === undefined || current.ended) return
    const again = open()
    const { said, began } = again
    if (!said || !began || again.failed || released || !looking.isTruth(began.value)) return void stop(again)
    const before = current
    current = again
    stop(before)
    if (newest === undefined || !Object.is(newest.value, said.value)) tell(said.value)
  }
  const start = (): void => {
    current = open()
    const { said, began, failed } = current
    looking.began(said && began)
    if (failed) voice.fail(failed.cause)
    else if (said) tell(said.value)
    if (released) stop(current)
  }

  start()
  return {
    release() {
      released = true
      forget(lookAgain)
      const last = current
      current = undefined
      stop(last)
    },
  }
}

/** Decides whether to look at a source again, and what to make of what is found, by what a pipe begins with. */
interface LookAgain {
  /** The source was opened, and it and its beginning spoke at once; the latter said this. */
  began(said: { readonly value: unknown } | undefined): void
  /** Notes a value; says whether the order in which values came may have been wrong. */
  note(value: unknown): boolean
  /** Whether a value that a new subscription gave at once is the source's newest. */
  isTruth(value: unknown): boolean
}

/**
 * A source that is told to emit while it is emitting tells those who subscribed later the newest value first and the one
 * before it last. Only what emitted twice in one run of code can have done so, and only what speaks at once when it is
 * subscribed can be asked. What then starts over from its first value (`startWith` in a factory) is cold: its own say stands.
 */
function createLookAgain(): LookAgain {
  let first: { readonly value: unknown } | undefined
  let startsOver = false
  let run = -1
  let heard: unknown[] = []
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
      return heard.length > 1
    },
    isTruth(value) {
      const known = heard.some((one) => Object.is(one, value)) || heard.some((one) => sameValue(one, value))
      startsOver = !known && first !== undefined && sameValue(first.value, value)
      return !startsOver
    },
  }
}

/** A longer burst has its truth among its last values. */
const remembered = 100
