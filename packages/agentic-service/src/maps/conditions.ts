import { ServiceError } from "../service-error.js"
import { type Following, followSource } from "../sources/follow-source.js"
import type { Source } from "../sources/source.js"

/** The state of a condition: true, false, not known yet, or failed. */
export type Verdict = boolean | "unknown" | "failed"

/** A listener of a condition. */
export interface ConditionListener {
  /** Called with the state, now and at every change. */
  verdict(verdict: Verdict): void
  /** Called when a condition fails, or its release throws. */
  trouble(cause: unknown): void
}

/** The conditions of one service. Each is subscribed to once, even if several members share it. */
export interface Conditions {
  /** Follows a condition. Reports its state before returning. */
  follow(is: Source<boolean>, listener: ConditionListener): Following
}

/** Creates a service's conditions. Each is subscribed to while somebody follows it. */
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
  /** @returns A function that removes the listener, and returns whether it was the last. */
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

/**
 * Converts a value to a boolean. Untyped code may give another value, which would otherwise always hold: it counts as false.
 */
function toTruth(value: unknown): boolean {
  if (typeof value === "boolean") return value
  const found = value === null ? "null" : typeof value
  throw new ServiceError(`found ${found} as a condition, expected true or false, or a source of them`, {
    code: "invalid_definition",
  })
}
