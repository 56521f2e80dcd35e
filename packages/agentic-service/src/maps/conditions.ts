import { ServiceError } from "../service-error.js"
import { type Following, followSource } from "../sources/follow-source.js"
import type { Source } from "../sources/source.js"

/** What is known of a condition: that it holds or does not, nothing yet, or that it cannot be followed. */
export type Verdict = boolean | "unknown" | "failed"

/** Who hears of a condition. */
export interface ConditionListener {
  /** What is known of it, now and then at every change. */
  verdict(verdict: Verdict): void
  /** Why it cannot be followed, or what went wrong beside. */
  trouble(cause: unknown): void
}

/** The conditions of one service. However many members share one, it is subscribed once. */
export interface Conditions {
  /** Follows a condition; tells what is known of it before it returns. */
  follow(is: Source<boolean>, listener: ConditionListener): Following
}

/** Makes the conditions of a service; each is subscribed while somebody follows it. */
export function createConditions(): Conditions {
  const shared = new Map<unknown, SharedCondition>()
  return {
    follow(is, listener) {
      const condition = shared.get(is) ?? createSharedCondition(is)
      shared.set(is, condition)
      const leave = condition.join(listener)
      return {
        release() {
          if (leave()) shared.delete(is)
        },
      }
    },
  }
}

interface SharedCondition {
  /** @returns What lets the listener go, and says whether it was the last. */
  join(listener: ConditionListener): () => boolean
}

function createSharedCondition(is: Source<boolean>): SharedCondition {
  const listeners = new Set<ConditionListener>()
  let verdict: Verdict = "unknown"
  let following: Following | undefined

  const decide = (next: Verdict): void => {
    if (next === verdict) return
    verdict = next
    for (const listener of [...listeners]) listener.verdict(verdict)
  }
  const trouble = (cause: unknown): void => {
    for (const listener of [...listeners]) listener.trouble(cause)
  }
  const follow = (): Following =>
    followSource<unknown>(is, {
      next: (value) => decide(toTruth(value)),
      fail(cause) {
        trouble(cause)
        decide("failed")
      },
      trouble,
    })

  return {
    join(listener) {
      const own = { ...listener }
      listeners.add(own)
      own.verdict(verdict)
      following ??= follow()
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return false
        following?.release()
        return true
      }
    },
  }
}

/** The types say so, but a condition that is no truth value would hold for ever: what cannot be followed is false. */
function toTruth(value: unknown): boolean {
  if (typeof value === "boolean") return value
  const found = value === null ? "null" : typeof value
  throw new ServiceError(`found ${found} as a condition, expected true or false, or a source of them`, {
    code: "invalid_definition",
  })
}
