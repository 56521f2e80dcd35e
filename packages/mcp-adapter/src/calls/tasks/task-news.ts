import { ownerKey } from "../../views/principal-key.js"
import type { CallContext } from "../call-context.js"
import { isOver, type TaskStatus } from "./task.js"

/** The ends and questions of tasks that their callers have not heard of, for the answers to their next calls. */
export interface TaskNews {
  /** The number of news that no caller has heard of, of all callers. */
  readonly count: number
  /** Adds the end of a task, or its question. A caller who could not be told apart from others hears nothing. */
  add(news: NewsOfTask): void
  /** Drops the news of a task, because its caller has read it. */
  heard(task: Pick<NewsOfTask, "id" | "status">): void
  /** Returns the news for a caller, each once, as sentences for a model. */
  take(context: NewsReader): readonly string[]
}

/** A caller, as far as news distinguishes callers. */
export type NewsReader = Pick<CallContext, "principal" | "session">

/** A task that has ended, or asks. */
export interface NewsOfTask {
  /** The task's id. */
  readonly id: string
  /** Its tool's name. */
  readonly tool: string
  /** Its status. */
  readonly status: TaskStatus
  /** Its caller. */
  readonly of: NewsReader
}

/** Limits the news of all callers. */
const MOST = 1_000

/** Creates the news of tasks. */
export function createTaskNews(): TaskNews {
  const news = new Map<string, { readonly of: string; readonly text: string }>()
  /** Tasks whose end their callers read before it was added. */
  const known = new Set<string>()
  const told = {
    count: 0,
    add({ id, tool, status, of }: NewsOfTask): void {
      const key = keyOf(of)
      if (known.delete(id) || key === undefined) return
      const [oldest] = news.keys()
      if (news.size >= MOST && oldest !== undefined) news.delete(oldest)
      news.set(id, { of: key, text: toText({ id, tool, status }) })
      told.count = news.size
    },
    heard({ id, status }: Pick<NewsOfTask, "id" | "status">): void {
      const had = news.delete(id)
      told.count = news.size
      if (had || !isOver(status)) return
      const [oldest] = known
      if (known.size >= MOST && oldest !== undefined) known.delete(oldest)
      known.add(id)
    },
    take(context: NewsReader): readonly string[] {
      const key = keyOf(context)
      const own = [...news].filter(([, { of }]) => of === key)
      for (const [id] of own) news.delete(id)
      told.count = news.size
      return own.map(([, { text }]) => text)
    },
  }
  return told
}

function toText({ id, tool, status }: Omit<NewsOfTask, "of">): string {
  const get = `get_task {"id":"${id}"}`
  return status === "input_required"
    ? `"${tool}", called earlier, waits for an answer of the person: ${get} asks them`
    : `"${tool}", called earlier, has ended (${status}): ${get} returns its result`
}

/** The principal, else the session. Several strangers may share an address, so that is not enough. */
function keyOf({ principal, session }: NewsReader): string | undefined {
  if (principal !== undefined) return JSON.stringify(["principal", ownerKey(principal)])
  return session === undefined ? undefined : JSON.stringify(["session", session])
}
