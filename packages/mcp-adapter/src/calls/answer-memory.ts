import { jsonSize, toJson } from "@x/tool-schemas/json"
import { type Clock, createDeferred } from "../runtime/host.js"
import type { Ending } from "./active-call.js"
import type { QuestionOptions } from "./call-limits.js"
import type { QuestionNote } from "./question-note.js"

/** What came of answered questions, so that an answer delivered twice runs nothing twice. */
export interface AnswerMemory {
  /** What came, or is to come, of the answer to a question; `undefined` where nothing ran for it. */
  find(id: string): Promise<Ending> | undefined
  /**
   * Begins to act on an answer, on behalf of a client; nothing else may act on it from then on.
   *
   * @returns `undefined` when the client has no room to have it remembered, and so nothing must run for it.
   */
  begin(note: Pick<QuestionNote, "id" | "until">, client: string): Begun | undefined
}

/** An answer that is acted on. */
export interface Begun {
  /** Something ran for it: whoever delivers the answer again gets the same, or hears that it ran. */
  ran(ending: Ending): void
  /** Nothing ran for it: who waits gets the same, and then it is as if it had not been delivered. */
  didNotRun(ending: Ending): void
}

interface Remembered {
  /** When its note expires, in milliseconds since 1970. */
  readonly until: number
  /** When as much time has passed, on the clock that never goes back. */
  readonly passedAt: number
  readonly share: Share
  size: number
  ending: Promise<Ending>
}

/** What is remembered of one client: the oldest first. */
interface Share {
  readonly client: string
  readonly remembered: Set<Remembered>
  size: number
}

/**
 * Remembers of each client so many answers, each for as long as its question could be answered again, and so many
 * characters of what came of them. Beyond those, of the oldest only that they ran.
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
    // A clock that is put forward and back must not make an answer new: both clocks have to have passed its end.
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
          // It may have run for so long that it is forgotten.
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

/** Keeps what came of an answer, and of older ones only that they ran, until all of it fits; or of this one, if it never would. */
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

/** What cannot be weighed is taken for JSON first; binary data is text there. */
function sizeOf(ending: Ending): number {
  const size = jsonSize(ending)
  return size ?? JSON.stringify(toJson(ending)).length
}

const onlyRan: Promise<Ending> = Promise.resolve({
  kind: "settled",
  outcome: {
    ok: false,
    code: "ran_already",
    message: "it ran once for this answer, and what came of it is not kept any more",
    recovery: "look at the state; to run it once more, call it again without the state of an earlier answer",
  },
})
