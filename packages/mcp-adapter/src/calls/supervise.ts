import type { Outcome, Progress } from "@x/agentic-service"
import type { Cancel, Clock } from "../runtime/clock.js"
import type { Ledger } from "../runtime/ledger.js"
import type { CallLimits } from "./call-limits.js"
import { createProgressLine } from "./progress-line.js"
import { type StopCause, toStopped } from "./stop.js"

/** Where a call stands once its action runs. */
export type RunPhase = "running" | "stopping" | "stuck"

/** One run of an action, and what it is held to. */
export interface SupervisedRun {
  /** The tool name, for messages. */
  readonly name: string
  /** The action; must not reject. */
  readonly execute: (signal: AbortSignal, progress: (progress: Progress) => void) => Promise<Outcome>
  /** The caller's own signal. */
  readonly signal: AbortSignal
  /** Reaches the caller with progress; absent where it did not ask. */
  readonly send?: ((progress: Progress) => void) | undefined
  /** How long this action may run, in milliseconds. */
  readonly timeout: number
  /** The other limits. */
  readonly limits: Pick<CallLimits, "grace" | "idle" | "heartbeat">
  /** Time. */
  readonly clock: Clock
  /** Counts the timers. */
  readonly ledger: Ledger
  /** Told when the phase changes. */
  readonly onPhase: (phase: RunPhase) => void
  /** Told when the action itself has ended; `late` when its call was answered before. */
  readonly onEnd: (late: boolean) => void
}

/** A run that can be told to stop from outside. */
export interface Supervision {
  /** What the call is answered with. Settles exactly once, and never rejects. */
  readonly outcome: Promise<Outcome>
  /** Tells the action to stop; it has the grace to do so. Only the first cause counts. */
  stop(cause: StopCause): void
}

/**
 * Runs an action and holds it to its limits: running → (told to stop → acknowledged, or given up on) → answered.
 *
 * An action that is told to stop may still succeed within the grace, and then that is the answer; a failure of it is
 * answered as the stop it was. After the grace the call is answered, and the action is stuck until it ends by itself.
 */
export function supervise(run: SupervisedRun): Supervision {
  const { name, limits, timeout, onPhase } = run
  const controller = new AbortController()
  const timers = createTimers(run)
  const line = createProgressLine(run)
  let cause: StopCause | undefined
  let answered = false
  let answer: (outcome: Outcome) => void = () => {}
  const outcome = new Promise<Outcome>((resolve) => {
    answer = (settled) => {
      if (answered) return
      answered = true
      timers.clear()
      line.close()
      run.signal.removeEventListener("abort", onAbort)
      resolve(settled)
    }
  })
  const stopped = (why: StopCause): Outcome => toStopped(name, why, why === "idle" ? limits.idle : timeout)

  const stop = (why: StopCause): void => {
    if (cause !== undefined || answered) return
    cause = why
    onPhase("stopping")
    timers.clear()
    timers.set("grace", limits.grace, () => {
      onPhase("stuck")
      answer(stopped(why))
    })
    controller.abort(new DOMException(`stopped: ${why}`, "AbortError"))
  }
  const onAbort = (): void => stop("caller")
  const beat = (): void => {
    line.beat()
    timers.set("heartbeat", limits.heartbeat, beat)
  }
  const report = (progress: Progress): void => {
    line.report(progress)
    if (cause === undefined && !answered) timers.set("idle", limits.idle, () => stop("idle"))
  }

  run.signal.addEventListener("abort", onAbort)
  timers.set("timeout", timeout, () => stop("timeout"))
  if (run.send !== undefined) timers.set("heartbeat", limits.heartbeat, beat)
  void run.execute(controller.signal, report).then((settled) => {
    run.onEnd(answered)
    answer(cause !== undefined && !settled.ok ? stopped(cause) : settled)
  })
  if (run.signal.aborted) onAbort()
  return { outcome, stop }
}

/** Timers by name: setting one again restarts it. */
interface Timers {
  set(name: "timeout" | "idle" | "grace" | "heartbeat", milliseconds: number, callback: () => void): void
  clear(): void
}

function createTimers({ clock, ledger }: Pick<SupervisedRun, "clock" | "ledger">): Timers {
  const running = new Map<string, Cancel>()
  const cancel = (name: string): void => {
    running.get(name)?.()
    running.delete(name)
  }
  return {
    set(name, milliseconds, callback) {
      cancel(name)
      const closeTimer = ledger.open("timer")
      const stop = clock.after(milliseconds, () => {
        cancel(name)
        callback()
      })
      running.set(name, () => {
        stop()
        closeTimer()
      })
    },
    clear() {
      for (const name of [...running.keys()]) cancel(name)
    },
  }
}
