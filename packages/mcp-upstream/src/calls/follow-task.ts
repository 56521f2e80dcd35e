import { ProtocolError } from "@modelcontextprotocol/client"
import type { ExecuteContext, Failure, Progress, Reply } from "@x/agentic-service"
import { isRecord } from "@x/base"
import { anyResult } from "../definitions/list-all.js"
import { isLoss, type Session } from "../life/session.js"
import { UpstreamError } from "../upstream-error.js"
import { toAsk } from "./call-modern.js"
import type { CallOptions, Parameters } from "./send-call.js"
import { toOutcome } from "./to-reply.js"

/** A task of a server. */
export interface FollowedTask {
  /** The task as the server last told it. */
  readonly task: Parameters
  readonly options: CallOptions
  /** Runs requests on a connection to the task's server. Returns the failure if another server is in its place. */
  on(use: (session: Session) => Promise<Reply>, context: ExecuteContext): Promise<Reply>
  /** Returns the `_meta` of requests on a connection. */
  meta(session: Session, context: ExecuteContext): Parameters | undefined
}

/**
 * Waits for the end of a server's task, polling at the server's interval. It continues after a lost connection. A caller that
 * aborts cancels the task. Questions are put to the caller (SEP-2663).
 */
export async function followTask(followed: FollowedTask, context: ExecuteContext): Promise<Reply> {
  const { options } = followed
  const tell = createTeller(context)
  const look = createLook(followed, context)
  let { task } = followed
  while (!context.signal.aborted) {
    tell(task)
    const over = endOf({ ...followed, task }, context)
    if (over !== undefined) return over
    await pause(options, intervalOf(task), context.signal)
    const found = await look(task)
    if ("failure" in found) return found.failure
    task = found.task
  }
  return cancel(followed, context)
}

/** Creates the function that passes on each new status message as progress. */
function createTeller({ progress }: ExecuteContext): (task: Parameters) => void {
  let told: unknown
  let count = 0
  return ({ statusMessage }) => {
    if (typeof statusMessage !== "string" || statusMessage === told) return
    told = statusMessage
    count += 1
    progress(toProgress(statusMessage, count))
  }
}

/** Returns the reply of a task that has ended or asks. Throws its error if it has failed. */
function endOf(followed: FollowedTask, context: ExecuteContext): Reply | undefined {
  const { status, result, error, inputRequests } = followed.task
  switch (status) {
    case "completed":
      return toOutcome(isRecord(result) ? result : {})
    case "cancelled":
      return cancelled
    case "failed":
      throw toError(error)
    case "input_required":
      return isRecord(inputRequests) ? ask(followed, context) : undefined
    default:
      return undefined
  }
}

/** The newest task, or the failure if another server is in the place of its own. */
type Found = { readonly task: Parameters } | { readonly failure: Reply }

/** Creates the function that reads a task. While its server is away, it returns the task as it was. */
function createLook(followed: FollowedTask, context: ExecuteContext): (task: Parameters) => Promise<Found> {
  const { limits } = followed.options
  let lostAt: number | undefined
  return async (task) => {
    try {
      const found = await request(followed, { method: "tasks/get", params: {} }, context)
      lostAt = undefined
      return "ok" in found ? { failure: found } : { task: found.result }
    } catch (cause) {
      lostAt ??= performance.now()
      const mayComeBack = isAway(cause) && performance.now() - lostAt < limits.retryMaxMs
      if (context.signal.aborted || mayComeBack) return { task }
      throw cause
    }
  }
}

function isAway(cause: unknown): boolean {
  return isLoss(cause) || (cause instanceof UpstreamError && cause.code === "unreachable")
}

interface TaskRequest {
  readonly method: "tasks/get" | "tasks/update" | "tasks/cancel"
  readonly params: Parameters
}

/** Sends a request about a task. Returns the failure if another server is in its place. */
async function request(
  { task, on, meta, options }: FollowedTask,
  { method, params }: TaskRequest,
  context: ExecuteContext,
): Promise<{ readonly result: Parameters } | Reply> {
  let result: Parameters | undefined
  const reply = await on(async (session) => {
    const { taskId } = task
    const _meta = meta(session, context)
    result = await session.client.request(
      { method, params: { taskId, ...params, ...(_meta && { _meta }) } },
      anyResult,
      { timeout: options.limits.requestMs, signal: context.signal },
    )
    return { ok: true }
  }, context)
  return result === undefined ? reply : { result }
}

function ask(followed: FollowedTask, context: ExecuteContext): Reply {
  const { options, task } = followed
  return toAsk(task["inputRequests"], {
    options,
    context,
    async answer(params, later) {
      const sent = await request(followed, { method: "tasks/update", params }, later)
      if ("ok" in sent) return sent
      const { inputRequests: _answered, ...rest } = task
      return followTask({ ...followed, task: { ...rest, status: "working" } }, later)
    },
  })
}

/** Tells the server that nobody waits any more. */
async function cancel(followed: FollowedTask, context: ExecuteContext): Promise<Failure> {
  const later = { ...context, signal: new AbortController().signal }
  // Whether it stops is up to the server.
  await request(followed, { method: "tasks/cancel", params: {} }, later).catch(() => undefined)
  return cancelled
}

const cancelled: Failure = {
  ok: false,
  code: "aborted",
  message: "its server was told to stop it",
  recovery: "part of the work may be done: check before you call it again",
}

function toError(error: unknown): Error {
  const { code, message, data } = Object(error)
  return new ProtocolError(typeof code === "number" ? code : -32_603, String(message ?? "the task failed"), data)
}

/** Reads progress in words; ours begin with numbers: `3/10 rows`. */
function toProgress(words: string, count: number): Progress {
  const [, done, total, rest] = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?(?: (.*))?$/s.exec(words) ?? []
  return {
    progress: done === undefined ? count : Number(done),
    ...(total !== undefined && { total: Number(total) }),
    ...(done === undefined ? { message: words } : rest !== undefined && { message: rest }),
  }
}

/** Milliseconds between two polls, as far as the server may choose. */
const INTERVAL = { usual: 1_000, least: 100, most: 60_000 }

function intervalOf({ pollIntervalMs }: Parameters): number {
  const wished = typeof pollIntervalMs === "number" ? pollIntervalMs : INTERVAL.usual
  return Math.min(Math.max(wished, INTERVAL.least), INTERVAL.most)
}

function pause({ holdings }: CallOptions, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      over()
      signal.removeEventListener("abort", stop)
      resolve()
    }
    const over = holdings.after(milliseconds, stop)
    signal.addEventListener("abort", stop)
    if (signal.aborted) stop()
  })
}
