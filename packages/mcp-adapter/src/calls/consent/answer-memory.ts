import { createDeferred, jsonSize, toJson } from "@x/base"
import type { Clock } from "../../runtime/host.js"
import type { Ending } from "../active-call.js"
import type { QuestionOptions } from "../call-limits.js"
import type { QuestionNote } from "./question-note.js"

/** The results of answered questions. An answer that is delivered twice runs nothing twice. */
export interface AnswerMemory {
  /** Returns the result of the answer to a question, settled or pending, or `undefined` if no answer has started a run. */
  find(id: string): Promise<Ending> | undefined
  /**
   * Reserves an answer for one run, on behalf of a client. No other delivery of it can start a run.
   *
   * @returns `undefined` if the client's memory is full; the action must not run then.
   */
  begin(note: Pick<QuestionNote, "id" | "until">, client: string): Begun | undefined
}

/** An answer that is being processed. */
export interface Begun {
  /** Marks the answer as run: later deliveries get the same result, or the message that it ran. */
  ran(ending: Ending): void
  /** Marks the answer as not run: waiters get this result, and the answer may be used again. */
  didNotRun(ending: Ending): void
}

interface Remembered {
  /** The expiry of its note, in milliseconds since 1970. */
  readonly until: number
  /** The same expiry on the monotonic clock. */
  readonly passedAt: number
  readonly share: Share
  size: number
  ending: Promise<Ending>
}

/** The remembered answers of one client, oldest first. */
interface Share {
  readonly client: string
  readonly remembered: Set<Remembered>
  size: number
}

/**
 * Creates a memory of a limited number of answers per client, each until its question expires, and of a limited number of
 * characters of their results. Beyond that, older results are reduced to the fact that they ran.
 */
export function createAnswerMemory(
  limits: Pick<QuestionOptions, "remembered" | "rememberedChars">,
  clock: Pick<Clock, "now">,
): AnswerMemory {
  const shares = new Map<string, Share>()
  const all = new Map<string, Remembered>()
  const forget = (id: string, kept: Remembered): void => {
    const { share } = kept
    all.delete(id)
    share.remembered.delete(kept)
    share.size -= kept.size
    if (share.remembered.size === 0) shares.delete(share.client)
  }
  const forgetExpired = (): void => {
    // Both clocks must have passed the expiry, so that setting the wall clock forward and back cannot make an answer new.
    const [wall, now] = [Date.now(), clock.now()]
    for (const [id, kept] of all) {
      if (kept.until < wall && kept.passedAt < now) forget(id, kept)
    }
  }
  return {
    find: (id) => all.get(id)?.ending,
    begin({ id, until }, client) {
      forgetExpired()
      const share = shares.get(client) ?? { client, remembered: new Set(), size: 0 }
      if (share.remembered.size >= limits.remembered) return undefined
      const { promise, resolve } = createDeferred<Ending>()
      const passedAt = clock.now() + Math.max(0, until - Date.now())
      const kept: Remembered = { until, passedAt, share, size: 0, ending: promise }
      shares.set(client, share)
      share.remembered.add(kept)
      all.set(id, kept)
      return {
        ran(ending) {
          resolve(ending)
          // It may have run so long that it was forgotten meanwhile.
          if (all.get(id) === kept) weigh(kept, ending, limits.rememberedChars)
        },
        didNotRun(ending) {
          resolve(ending)
          if (all.get(id) === kept) forget(id, kept)
        },
      }
    },
  }
}

/** Stores a result, and drops older results until all fit. A result larger than the limit is itself dropped. */
function weigh(kept: Remembered, ending: Ending, chars: number): void {
  const { share } = kept
  const size = sizeOf(ending)
  if (size > chars) {
    kept.ending = onlyRan
    return
  }
  kept.size = size
  share.size += size
  for (const older of share.remembered) {
    if (share.size <= chars) return
    if (older === kept || older.size === 0) continue
    share.size -= older.size
    older.size = 0
    older.ending = onlyRan
  }
}

/** Converts values that cannot be measured to JSON first; binary data becomes text. */
function sizeOf(ending: Ending): number {
  const size = jsonSize(ending)
  return size ?? JSON.stringify(toJson(ending)).length
}

const onlyRan: Promise<Ending> = Promise.resolve({
  kind: "settled",
  outcome: {
    ok: false,
    code: "ran_already",
    message: "it has already run for this answer, and its result is no longer stored",
    recovery:
      "read the state to see the effect; to run it again, repeat the call without the state of an earlier answer",
  },
})
