import { hasMethod, memberOf } from "../member-of.js"
import { atEndOfRun, forget } from "./end-of-run.js"
import { openKind, type Subscription, stopSafely } from "./open-kind.js"
import { type Kind, recogniseSource } from "./recognise-source.js"
import { originOf } from "./to-observable.js"

/** What a pipe of rxjs operators begins with, as far as it is known to go on when the pipe has failed. */
export interface Root {
  /** Tells of every change of it from now on, until the answer is called; never while it is being opened. Neither throws. */
  watch(changed: () => void): () => void
  /** Whether it is there and says nothing when it is subscribed, so that what the pipe says at once is an operator's. */
  isSilent(): boolean
}

/**
 * A store or a subject at the bottom is hot: following it runs nothing. What {@link toObservable} was given, and what had
 * spoken and not ended when the pipe failed, is started again as it would have gone on. Whatever else there is is left alone.
 */
export function findRoot(source: unknown): Root {
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
