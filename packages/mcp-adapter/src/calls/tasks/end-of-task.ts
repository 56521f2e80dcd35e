import type { Outcome } from "@x/agentic-service"
import { backoff, createDeferred, type Deferred, toMessage } from "@x/base"
import { type Host, startTimer } from "../../runtime/host.js"
import type { HandOver, SettledCall } from "../active-call.js"
import type { TaskError } from "./task.js"
import { isTooMuch, type KeptTask, type TaskState } from "./task-store.js"

/** The reasons to stop a task from outside. */
export type TaskStop = "cancelled" | "expired" | "closing"

/**
 * Returns the final state of a task. Work that succeeded although it was told to stop counts as completed. Work that ended
 * outside its action's hands has failed.
 */
export async function toFinalState(
  settled: SettledCall,
  stop: TaskStop | undefined,
  { finish, tool }: Pick<HandOver, "finish"> & { readonly tool: string },
): Promise<TaskState> {
  const { outcome } = settled
  if (!outcome.ok && stop === "cancelled") return { status: "cancelled" }
  if (!outcome.ok && stop !== undefined && stop !== "cancelled") return toFailed(REASONS[stop](tool))
  if (isLost(outcome)) return toFailed(outcome.message)
  const end = await finish(settled)
  return "error" in end ? { status: "failed", message: end.error.message, end } : { status: "completed", end }
}

const REASONS = {
  expired: (tool: string) => `"${tool}" was stopped: it did not end within its time to live`,
  closing: (tool: string) => `"${tool}" was stopped: the server was closed. It may have done part of its work`,
}

/** Whether the connection to the action broke, as when the page that ran it was closed. */
function isLost(outcome: Outcome): outcome is Extract<Outcome, { readonly ok: false }> {
  return !outcome.ok && outcome.code === "connection_lost"
}

function toFailed(message: string): TaskState {
  const error: TaskError = { code: INTERNAL, message }
  return { status: "failed", message, end: { error } }
}

const INTERNAL = -32_603

/** Stores the end of one task. */
export interface EndWriter {
  /** Stores an end. While the store fails, it tries again until the task has expired or the writer is closed. */
  write(end: TaskState): Promise<void>
  /** Returns the end while it cannot be stored. */
  unstored(): TaskState | undefined
  /** Tries no more. */
  close(): void
}

/** Creates the writer of one task's end. */
export function createEndWriter(kept: KeptTask, host: Host): EndWriter {
  let unstored: TaskState | undefined
  let resting: Deferred<void> | undefined
  let open = true
  const rest = async (failures: number): Promise<void> => {
    resting = createDeferred<void>()
    const cancel = startTimer(host, backoff(failures, RETRIES), resting.resolve)
    await resting.promise
    cancel()
  }
  /** Writes an end, or else one without its result. Returns the cause of a failure. */
  const tryOnce = async (end: TaskState): Promise<unknown> => {
    try {
      await kept.write(end)
      return undefined
    } catch (cause) {
      if (!isTooMuch(cause)) return cause
      const less = withoutResult(end, kept.stored.value.tool)
      return kept.write(less).then(
        () => undefined,
        (again: unknown) => again,
      )
    }
  }
  return {
    unstored: () => unstored,
    close() {
      open = false
      resting?.resolve()
    },
    async write(end) {
      for (let failures = 1; kept.stored.expiresAt > Date.now(); failures += 1) {
        const cause = await tryOnce(end)
        if (cause === undefined) return
        unstored = end
        if (failures === 1) host.report(toUnstored(cause))
        if (!open) return
        await rest(failures)
      }
    },
  }
}

const RETRIES = { firstMs: 200, mostMs: 10_000 }

/** Returns the end of a task whose result cannot be kept. */
function withoutResult({ status, end }: TaskState, tool: string): TaskState {
  const size = JSON.stringify(end ?? null).length
  const what = status === "completed" ? "has ended" : "has failed"
  return toFailed(
    `"${tool}" ${what}, but its result of ${size} characters is too large to keep. Read the state to see its effect, and do not run it again before`,
  )
}

/** Creates the diagnostic of a state that cannot be stored. */
export function toUnstored(cause: unknown): Parameters<Host["report"]>[0] {
  const message = `the state of a task cannot be stored: ${toMessage(cause)}`
  return { code: "records_unavailable", message, cause }
}
