import type { Block, Outcome } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import type { CallContext } from "../calls/call-context.js"
import { type ClientRequests, canAnswer } from "../calls/client-requests.js"
import { canAsk } from "../calls/consent/question-form.js"
import type { OwnAnswer } from "../calls/create-calls.js"
import { createTurnstile } from "../calls/take-turns.js"
import { isOver, type Task } from "../calls/tasks/task.js"
import { waitForTask } from "../calls/tasks/wait-for-task.js"
import type { ToolDefinition } from "../catalogue/entry.js"
import { type BuiltIn, type BuiltInSite, isOptionalCount, ONLY_READS, onlyHas } from "./built-in.js"

/**
 * Creates the tools for models whose clients know no tasks: they come back for a long action's result.
 *
 * @param isReserved - Whether a name belongs to the adapter's own tools. Until an action is long, other actions may have it.
 */
export function createTaskTools(isReserved: (name: string) => boolean): readonly BuiltIn[] {
  const places = createTurnstile({ running: WAITING, waiting: 0 })
  return [
    {
      definition: GET,
      serves: ({ long }) => long,
      hasName: () => isReserved(GET.name),
      async run(args, site) {
        const { id, waitMs = USUAL_WAIT, ...rest } = args
        if (typeof id !== "string" || !isCount(waitMs) || !onlyHas(rest, [])) return invalidInput(GET.name, EXPECTED)
        const leave = await places.enter(site.context.client, site.context.signal)
        if (typeof leave !== "function") return busy
        try {
          return await getTask(id, Math.min(waitMs, LONGEST_WAIT), site)
        } finally {
          leave()
        }
      },
    },
    {
      definition: CANCEL,
      serves: ({ long }) => long,
      hasName: () => isReserved(CANCEL.name),
      async run(args, site) {
        const { id } = args
        if (typeof id !== "string" || !onlyHas(args, ["id"]))
          return invalidInput(CANCEL.name, [{ path: [], message: 'expected "id", a string, and nothing else' }])
        return cancelTask(id, site)
      },
    },
  ]
}

function isCount(value: unknown): value is number {
  return value !== undefined && isOptionalCount(value)
}

/** The most waiting calls of `get_task` of one client. */
const WAITING = 32

/** Milliseconds. Clients give up on a call after 60,000. */
const LONGEST_WAIT = 45_000
const USUAL_WAIT = 20_000

const GET = Object.freeze<ToolDefinition>({
  name: "get_task",
  title: "Get task",
  description:
    "Returns the result of an action that was still running when its call was answered, by the `task_id` of that answer. Waits for it if it still runs.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "The `task_id`" },
      waitMs: { type: "integer", minimum: 0, maximum: LONGEST_WAIT, description: `Default: ${USUAL_WAIT}` },
    },
    required: ["id"],
  },
  annotations: ONLY_READS,
})

const CANCEL = Object.freeze<ToolDefinition>({
  name: "cancel_task",
  title: "Cancel task",
  description: "Stops an action that still runs, by its `task_id`. Work that is done already stays done",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string", description: "The `task_id`" } },
    required: ["id"],
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
})

const EXPECTED = [
  { path: [], message: 'expected "id", a string, and "waitMs", an optional whole number of milliseconds' },
]

const busy: Outcome = {
  ok: false,
  code: "busy",
  message: `${WAITING} of your calls are already waiting, which is the limit`,
  recovery: "wait for one of them to finish, then call again",
}

async function getTask(id: string, milliseconds: number, { tasks, context, host }: BuiltInSite): Promise<OwnAnswer> {
  const { inputResponses, signal } = context
  if (inputResponses !== undefined && (await tasks.find(id, context)) !== undefined)
    await tasks.answer(id, inputResponses)
  const task = await waitForTask(tasks, { id, caller: context, milliseconds, host, signal })
  if (task === undefined) return unknown(id)
  if (task.status === "input_required") return toQuestion(task, { tasks, context })
  if (!isOver(task.status)) return say(toRunning(task))
  tasks.news.heard(task)
  return toEnded(task)
}

/**
 * Returns a task's questions for the client that fetches it. The task is bound to its caller, and the keys of its questions
 * never repeat, so the answers need no state of ours.
 */
function toQuestion(task: Task, { tasks, context }: Pick<BuiltInSite, "tasks" | "context">): OwnAnswer {
  // The task's questions were written as such.
  const requests = (task.requests ?? {}) as unknown as ClientRequests
  if (!canBeAsked(context, requests)) return say(toUnaskable(task))
  tasks.news.heard(task)
  return { kind: "asked", questions: {}, requests, state: task.id }
}

/** Whether the client of a call can put questions, and answer requests, of a task. */
function canBeAsked(context: CallContext, requests: ClientRequests): boolean {
  return Object.entries(requests).every(([key, request]) =>
    request.params?.["mode"] === "form" ? canAsk(context) : canAnswer(context, { [key]: request }),
  )
}

async function cancelTask(id: string, { tasks, context }: BuiltInSite): Promise<Outcome> {
  const task = await tasks.find(id, context)
  if (task === undefined) return unknown(id)
  if (isOver(task.status)) return say(`"${task.tool}" has already ended (${task.status}): get_task returns its result`)
  await tasks.cancel(id)
  return say(`"${task.tool}" was told to stop: get_task returns how it ended`)
}

function toUnaskable({ tool, message }: Task): string {
  const far = message === undefined ? "" : ` (${message})`
  return `"${tool}" waits for an answer of the person${far}, whom this client cannot ask. Call get_task from the client that called "${tool}", or stop it with cancel_task`
}

function toRunning({ tool, message }: Task): string {
  const far = message === undefined ? "" : `: ${message}`
  return `"${tool}" still runs${far}. Call get_task again with the same id to wait for it, or go on with other work`
}

/** Returns the end of a task: the content of its result, after a line on what it is. */
function toEnded({ tool, status, end, message }: Task): Outcome {
  if (status === "cancelled")
    return say(`"${tool}" was cancelled${message === undefined ? "" : `. It had come to: ${message}`}`)
  if (end === undefined || "error" in end)
    return say(`"${tool}" failed: ${end?.error.message ?? "the reason is unknown"}`)
  const { content, isError } = isRecord(end.result) ? end.result : {}
  const title = isError === true ? `"${tool}" failed:` : `"${tool}" has ended. Its result:`
  const blocks = Array.isArray(content) ? content : []
  // The stored blocks are MCP's own, as the call would have returned them.
  return {
    ok: true,
    verbatim: true,
    content: [{ type: "text", text: title }, ...(blocks as unknown as readonly Block[])],
  }
}

function say(text: string): Outcome {
  return { ok: true, verbatim: true, content: [{ type: "text", text }] }
}

function unknown(id: string): Outcome {
  return {
    ok: false,
    code: "not_found",
    message: `you have no task ${JSON.stringify(id.slice(0, 64))}: it never existed, or its time to live is over`,
    recovery: "use the `task_id` of the answer that named it",
  }
}
