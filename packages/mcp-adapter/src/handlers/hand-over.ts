import { toJson } from "@x/base"
import type { HandedCall, HandOver, SettledCall } from "../calls/active-call.js"
import type { CallContext } from "../calls/call-context.js"
import { declaresTasks } from "../calls/client-requests.js"
import type { Task, TaskEnd } from "../calls/tasks/task.js"
import { branchesOf } from "../catalogue/long-output.js"
import { addTo, INTERNAL_ERROR, ProtocolError, type Result } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { onOwnLine, type ToolResult, toText } from "./tool-result.js"

/** Whether a request declares that its client takes tasks. Only modern requests can. */
export function takesTasks({ leg, clientCapabilities }: Pick<CallContext, "leg" | "clientCapabilities">): boolean {
  return leg.era === "modern" && declaresTasks(clientCapabilities)
}

/** Creates the function that chooses how a call is handed over: as a task to a client that takes tasks, else as a handle. */
export function createHandOver(
  { calls, tasks }: Pick<HandlerOptions, "calls" | "tasks">,
  toResult: (settled: SettledCall) => Promise<Result>,
): ((context: CallContext) => HandOver) | undefined {
  if (!tasks) return undefined
  const { patienceMs, wordsAfterMs } = calls.tasks.options
  const finish = async (settled: SettledCall): Promise<TaskEnd> => {
    try {
      return { result: toJson(await toResult(settled)) }
    } catch (cause) {
      return { error: toError(cause) }
    }
  }
  const asTask: HandOver = { afterMs: patienceMs, finish, announced: false }
  const inWords: HandOver = { afterMs: wordsAfterMs, finish, announced: true }
  return (context) => (takesTasks(context) ? asTask : inWords)
}

function toError(cause: unknown): Extract<TaskEnd, { readonly error: unknown }>["error"] {
  if (!(cause instanceof ProtocolError)) return { code: INTERNAL_ERROR, message: "internal error" }
  const { code, message, data } = cause
  return { code, message, ...(data !== undefined && { data: toJson(data) }) }
}

/** Creates the answer of a handed-over call for a client that takes no tasks: a success that says how to come back. */
export function toHandle({ task, entry }: HandedCall, { longSchema }: Pick<HandlerOptions, "longSchema">): ToolResult {
  const next = toNext(task)
  const handle = { task_id: task.id, status: task.status, next }
  const typed = longSchema === "either" && branchesOf(entry.definition.outputSchema) !== undefined
  if (typed) return { content: [toText(JSON.stringify(handle))], structuredContent: handle }
  return { content: [toText(next), onOwnLine(toText(`task_id: ${task.id}`))] }
}

function toNext({ id, tool, message }: Task): string {
  const far = message === undefined ? "" : ` (${message})`
  return `"${tool}" still runs${far}, and continues without you. Call get_task with {"id":"${id}"} for its result, now or later. cancel_task stops it. Do not call "${tool}" again for the same work`
}

/** Returns a task as the extension shows it when it is created. */
export function toCreatedTask(task: Task): Result {
  return addTo({ resultType: "task" }, toPlainTask(task))
}

/** Returns a task as the extension shows it in full. */
export function toDetailedTask(task: Task): Result {
  const { requests, end, status } = task
  return addTo(toPlainTask(task), {
    ...(status === "input_required" && { inputRequests: requests ?? {} }),
    ...end,
  })
}

/** Milliseconds after which polling shows something new. */
const POLL = 1_000

function toPlainTask({ id, status, message, createdAt, changedAt, ttlMs }: Task): Result {
  const created = new Date(createdAt).toISOString()
  return {
    taskId: id,
    status,
    createdAt: created,
    lastUpdatedAt: changedAt === createdAt ? created : new Date(changedAt).toISOString(),
    ttlMs,
    pollIntervalMs: POLL,
    ...(message !== undefined && { statusMessage: message }),
  }
}
