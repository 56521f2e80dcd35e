import { SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server"
import type { CallContext } from "../../calls/call-context.js"
import type { Endpoint } from "../../endpoint.js"
import { once } from "../../runtime/host.js"
import type { ListenFilter } from "./listen-filter.js"

/** The parts of a listener that tasks concern. */
interface TaskListener {
  /** The id of its request. */
  readonly id: string | number
  /** The requested notices. */
  readonly filter: Pick<ListenFilter, "tasks">
  /** The caller. */
  readonly caller: Pick<CallContext, "principal">
  /** Sends a message. */
  send(json: string): void
}

/** The tasks that one listen stream tells of. */
export interface ListenedTasks {
  /** The ids of the requested tasks that are the caller's own. */
  readonly ids: readonly string[]
  /** Tells of the tasks from now on: those that have changed before, then every change. Returns a function that stops. */
  begin(): () => void
}

/** Finds the tasks that a stream may tell of. A store that fails honours none. */
export async function listenToTasks(
  { tasks, host }: Pick<Endpoint, "tasks" | "host">,
  { id, filter, caller, send }: TaskListener,
): Promise<ListenedTasks> {
  if (tasks === undefined || filter.tasks.size === 0) return NONE
  const found = await Promise.all([...filter.tasks].map((task) => tasks.find(task, caller).catch(() => undefined)))
  const ids = [...filter.tasks].filter((_, index) => found[index] !== undefined)
  const tell = (detailed: object): void => {
    const params = { ...detailed, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } }
    send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/tasks", params }))
  }
  const begin = (): (() => void) => {
    const stops = ids.map((task) => tasks.watch(task, tell))
    const closed = host.ledger.open("subscription")
    // The client does not know what happened before it listened.
    for (const task of found) if (task !== undefined && task["status"] !== "working") tell(task)
    return once(() => {
      closed()
      for (const stop of stops) stop()
    })
  }
  return ids.length === 0 ? NONE : { ids, begin }
}

const NONE: ListenedTasks = { ids: [], begin: () => () => undefined }
