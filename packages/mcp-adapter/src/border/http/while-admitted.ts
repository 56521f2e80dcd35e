import { showShort } from "@x/base"
import { AdapterError } from "../../adapter-error.js"
import { refuseAnswer, runCallback } from "../../runtime/callback.js"
import { type Host, once, startTimer } from "../../runtime/host.js"
import type { Visitor } from "./site.js"

/**
 * Ends a long-lived stream when its caller is no longer admitted: the token has expired or was revoked.
 *
 * @param end - Runs at most once.
 * @returns Cancels the watch; idempotent.
 */
export function whileAdmitted(visitor: Visitor, host: Host, end: () => void): () => void {
  const { expires, holds, beats } = visitor
  const over = once(() => {
    release()
    end()
  })
  const wait = expires === undefined ? undefined : Math.max(0, expires.getTime() - Date.now())
  // Longer than a timer can run: never.
  const stopTimer = wait === undefined || wait > 2 ** 31 - 1 ? undefined : startTimer(host, wait, over)
  const ask = async (beatsBefore: number): Promise<void> => {
    if (holds === undefined || beatsBefore % BEATS_BETWEEN !== BEATS_BETWEEN - 1) return
    const answer: unknown = await runCallback("holds", holds)
    if (answer === true) return
    over()
    // A function that forgets to return a boolean must not keep a stream open.
    if (answer !== false)
      throw refuseAnswer("holds", `${showShort(answer)}: expected true or false, so the stream is ended`)
  }
  const tellFault = (cause: unknown): void => {
    const { message, cause: inner = cause } = AdapterError.from(cause)
    host.report({
      code: "handler_failed",
      message: `a token could not be checked again: ${message}`,
      cause: inner,
    })
  }
  const stopAsking = holds && beats.add((before) => void ask(before).catch(tellFault))
  const release = once(() => {
    stopTimer?.()
    stopAsking?.()
  })
  return release
}

/** A minute: four beats of fifteen seconds. */
const BEATS_BETWEEN = 4
