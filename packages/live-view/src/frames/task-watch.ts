import type { McpAdapter } from "@x/mcp-adapter"
import type { CallEvent } from "./call-log.js"

/** Follows the progress of calls that go on as tasks. */
export interface TaskWatch {
  /** Notes an event about a call: it begins to follow a call that was handed over, and ends with its outcome. */
  note(event: CallEvent): void
  /** Follows no call any more. */
  close(): void
}

interface Told {
  readonly status: string
  readonly message?: string
}

const OVER = ["completed", "failed", "cancelled"]

/**
 * Creates the watch of an adapter's tasks.
 *
 * @param tell - Gets a call's id and its newest progress in words.
 */
export function createTaskWatch(
  { core }: Pick<McpAdapter, "core">,
  tell: (call: string, progress: string) => void,
): TaskWatch {
  const { tasks } = core.calls
  const releases = new Map<string, () => void>()
  const end = (call: string): void => {
    releases.get(call)?.()
    releases.delete(call)
  }
  return {
    note(event) {
      const { id } = event
      if (event.type === "call-settled") end(id)
      if (event.type !== "call-handed") return
      const take = (task: Told | undefined): void => {
        if (!releases.has(id)) return
        // An action may end before its call is told to be handed over.
        if (task === undefined || OVER.includes(task.status)) end(id)
        else if (task.message !== undefined) tell(id, task.message)
      }
      releases.set(id, tasks.watch(event.task, take))
      // The watch only tells of later progress.
      const caller = event.principal ? { principal: event.principal } : {}
      tasks.find(event.task, caller).then(take, () => end(id))
    },
    close() {
      for (const id of [...releases.keys()]) end(id)
    },
  }
}
