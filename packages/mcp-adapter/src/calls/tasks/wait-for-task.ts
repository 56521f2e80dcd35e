import type { Abortable } from "@x/agentic-service/adapter"
import { type Host, startTimer } from "../../runtime/host.js"
import type { Tasks } from "./create-tasks.js"
import { isOver, type Task, type TaskCaller } from "./task.js"

/** A wait for the end of a task. */
export interface TaskWait {
  /** The task's id. */
  readonly id: string
  /** The caller. */
  readonly caller: TaskCaller
  /** The longest wait. */
  readonly milliseconds: number
  /** Ends the wait. */
  readonly signal: Abortable
  /** Clock and ledger. */
  readonly host: Host
}

/**
 * Waits until a task of the caller has ended, or asks for input. Returns its state then, or at the end of the wait. Returns
 * `undefined` if the caller has no such task.
 */
export async function waitForTask(
  tasks: Pick<Tasks, "find" | "watch">,
  { id, caller, milliseconds, signal, host }: TaskWait,
): Promise<Task | undefined> {
  const first = await tasks.find(id, caller)
  if (first === undefined || rests(first) || milliseconds <= 0) return first
  const told = await new Promise<Task | undefined>((resolve) => {
    const stop = (task?: Task): void => {
      cancel()
      unwatch()
      signal.removeEventListener("abort", leave)
      resolve(task)
    }
    const leave = (): void => stop()
    const cancel = startTimer(host, milliseconds, leave)
    // What is stored may be older than what the process knows: a question may be answered already.
    const look = (): void => {
      tasks.find(id, caller).then((now) => (now === undefined || rests(now)) && stop(now), leave)
    }
    const unwatch = tasks.watch(id, (task) => (isOver(task.status) ? stop(task) : rests(task) && look()))
    signal.addEventListener("abort", leave)
    if (signal.aborted) return leave()
    // It may have ended before the watch began.
    look()
  })
  // A change is told before this process has taken note of it.
  return told ?? tasks.find(id, caller)
}

function rests({ status }: Task): boolean {
  return isOver(status) || status === "input_required"
}
