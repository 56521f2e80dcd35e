import { sameValue } from "@x/base"
import { atEndOfRun, cancelAtEndOfRun, currentRun } from "./end-of-run.js"
import { openKind, type Subscription, stopSafely } from "./open-kind.js"
import { type Kind, type Recognised, recogniseSource } from "./recognise-source.js"
import type { Source } from "./source.js"
import { tapPipe } from "./tap-pipe.js"

/** A listener of a followed source. */
export interface Sink<Value> {
  /** Called with a value. If it throws, the source counts as failed. */
  next(value: Value): void
  /** Called when the source fails: it has no value until the next one. Called once until it recovers; must not throw. */
  fail(cause: unknown): void
  /** Called with an error that affects no value, such as one of a release; must not throw. */
  trouble(cause: unknown): void
}

/** A followed source. */
export interface Following {
  /** Releases the source; nothing is emitted afterwards. Idempotent, never throws. */
  release(): void
}

/** A following that holds nothing and never emits again. */
export const still: Following = { release: () => {} }

/**
 * Follows a source by the laws of all kinds: at rest, the last emitted value equals a new subscriber's; a failure is reported
 * and ends with the next good value; errors reach neither the source nor the follower.
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

/** A sink that reports a lasting failure once. */
interface Voice<Value> extends Pick<Sink<Value>, "fail" | "trouble"> {
  /** Emits a value; an error of the sink is a failure. Never throws. */
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
      cancelAtEndOfRun(lookAgain)
      const last = current
      current = undefined
      stop(last)
    },
  }
}

/** Decides, by a pipe's root, whether to read a source again, and how to use the result. */
interface LookAgain {
  /** Records the root's immediate value when the source was opened, if both emitted. */
  began(said: { readonly value: unknown } | undefined): void
  /** Records a value. Returns whether values may have arrived in the wrong order. */
  note(value: unknown): boolean
  /** Checks whether a new subscription's immediate value is the source's newest. */
  isTruth(value: unknown): boolean
}

/**
 * Creates the decision for one source. When a source emits during its own emission, later subscribers get the newest value
 * first and the previous one last. Only a source that emitted twice in one run can have done so, and only a source with an
 * immediate value can be read again. If it then starts over from its first value (`startWith` in a factory), it is cold, and
 * its last value stands.
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

/** The newest value of a longer burst is among its last ones. */
const remembered = 100
