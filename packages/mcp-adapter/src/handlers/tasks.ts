import { isRecord } from "@x/base"
import type { CallContext } from "../calls/call-context.js"
import { TASKS } from "../calls/client-requests.js"
import type { Task } from "../calls/tasks/task.js"
import { takesTasks, toDetailedTask } from "./hand-over.js"
import { type Handler, INVALID_PARAMS, MISSING_CAPABILITY, type Params, ProtocolError } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"

/** Answers tasks/get: the task in full, with its open questions or its end (ext-tasks). */
export function createGetTask({ calls }: HandlerOptions): Handler {
  return async (params, context) => toDetailedTask(await findTask(calls, params, context))
}

/** Answers tasks/update: passes the client's answers to a task's open questions. */
export function createUpdateTask({ calls }: HandlerOptions): Handler {
  return async (params, context) => {
    const { id } = await findTask(calls, params, context)
    // The SDK moves the answers from the parameters to the context.
    const { inputResponses: given = context.inputResponses } = params
    await calls.tasks.answer(id, isRecord(given) ? given : {})
    return {}
  }
}

/** Answers tasks/cancel: tells a task to stop. Ended tasks stay unchanged. */
export function createCancelTask({ calls }: HandlerOptions): Handler {
  return async (params, context) => {
    const { id } = await findTask(calls, params, context)
    await calls.tasks.cancel(id)
    return {}
  }
}

/** Finds a caller's own task. Another caller's is as unknown as one that never existed. */
async function findTask({ tasks }: HandlerOptions["calls"], { taskId }: Params, context: CallContext): Promise<Task> {
  if (!takesTasks(context)) throw toUndeclared()
  const found = typeof taskId === "string" ? await tasks.find(taskId, context) : undefined
  if (found === undefined)
    throw new ProtocolError(INVALID_PARAMS, "unknown task: it never existed, or its time to live is over")
  return found
}

/** Creates the error of a request that uses tasks without declaring them. */
export function toUndeclared(): ProtocolError {
  const message = `the client has to declare the extension "${TASKS}" in its capabilities`
  return new ProtocolError(MISSING_CAPABILITY, message, {
    data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
  })
}
