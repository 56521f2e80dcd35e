/**
 * Lets a process end despite a running timer. Pages need nothing, because their timers are numbers.
 *
 * @example
 * ```ts
 * import { unref } from "@x/base"
 *
 * const timer = setInterval(() => console.log("still here"), 60_000)
 * unref(timer) // the process ends now
 * ```
 */
export function unref(timer: unknown): void {
  if (isUnrefable(timer)) timer.unref()
}

function isUnrefable(timer: unknown): timer is { unref(): void } {
  return typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function"
}
