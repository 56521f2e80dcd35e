import {
  CLIENT_CAPABILITIES_META_KEY,
  type Client,
  LOG_LEVEL_META_KEY,
  ProtocolError,
} from "@modelcontextprotocol/client"
import type { Ask, ExecuteContext, LogLevel, Reply } from "@x/agentic-service"
import { abortableOf, changed } from "@x/agentic-service/adapter"
import pLimit from "p-limit"
import type { Run, Target } from "../definitions/to-action.js"
import { originsOf } from "../life/origins.js"
import { isLoss, isUnknownSession, reasonOf, type Session } from "../life/session.js"
import { announcesTasks, TASKS } from "../life/task-results.js"
import { redactAll } from "../trust/redact.js"
import type { Listed } from "../upstream.js"
import { type AskedCalls, createAskedCalls } from "./asked-calls.js"
import { callLegacy, toAnswered } from "./call-legacy.js"
import { callModern } from "./call-modern.js"
import { toAsked, toDeclared } from "./client-request.js"
import { type FollowedTask, followTask } from "./follow-task.js"
import { callOnOwn } from "./own-connection.js"
import type { CallOptions, Parameters } from "./send-call.js"
import { toFailure } from "./to-reply.js"

/** Calls the tools of a server. */
export interface Calls {
  /** Calls a tool. Never rejects. Answers `changed` if another server has taken the place of the intended one. */
  call: Run
  /** Passes a log message to the caller whose call caused it; drops it if the call is unknown. */
  log(client: Client, level: LogLevel, message: { readonly data: unknown; readonly logger?: string | undefined }): void
  /** Answers a legacy server's request in the middle of a call. Rejects if the request is refused. */
  ask(client: Client, request: ServerRequest, id: number | string): Promise<Parameters>
}

/** A server's request to its client. */
export interface ServerRequest {
  /** The method. */
  readonly method: string
  /** The parameters as received. */
  readonly params?: unknown
}

/** Creates the caller of a server's tools. */
export function createCalls(options: CallOptions): Calls {
  const { limits, emit } = options
  const limit = pLimit(limits.concurrency)
  const drop = (message: string): void => emit({ type: "diagnostic", code: "question_dropped", message })
  const site = { label: options.label, most: limits.resultChars }
  const connections = new WeakMap<Client, AskedCalls>()
  const askedOn = (client: Client): AskedCalls => {
    const asked = connections.get(client) ?? createAskedCalls(options.holdings, drop)
    connections.set(client, asked)
    return asked
  }

  const within = async (tool: Listed, context: ExecuteContext, run: () => Promise<Reply>): Promise<Reply> => {
    const over = options.holdings.open("calls")
    try {
      return bound(await limit(run), tool, options)
    } catch (cause) {
      return toFailure(cause, tool, { context, redact: options.redact })
    } finally {
      over()
    }
  }
  /** Waits for the end of a task, without holding the place of a call. */
  const follow = async (target: Target, task: Parameters, context: ExecuteContext): Promise<Reply> => {
    const over = options.holdings.open("calls")
    const on: FollowedTask["on"] = (use, now) => limit(() => withSession({ target, context: now, options }, use))
    const meta: FollowedTask["meta"] = (session, now) => toMeta(session, now, options)
    try {
      const reply = await followTask({ task, options, on, meta }, context)
      return bound(toGuarded(reply, { target, context, options }), target.item, options)
    } catch (cause) {
      return toFailure(cause, target.item, { context, redact: options.redact })
    } finally {
      over()
    }
  }
  const call: Run = (target, input, context) => {
    const { item: tool } = target
    const named = { name: String(tool["name"]), arguments: { ...Object(input ?? {}) } }
    const put = async (more: Parameters, now: ExecuteContext, round = 0): Promise<Reply> => {
      let task: Parameters | undefined
      const handed = (given: Parameters): void => {
        task = given
        now.takesLong?.()
      }
      const reply = await within(tool, now, () =>
        withSession({ target, context: now, options }, (session) => {
          const _meta = toMeta(session, now, options)
          const params = { ...named, ...(_meta && { _meta }), ...more }
          const running = { tool, session, params, asked: askedOn(session.client), options }
          return session.era === "modern"
            ? callModern({ ...running, round, handed, again: (next, later) => put(next, later, round + 1) }, now)
            : callLegacy(running, now)
        }),
      )
      return task === undefined ? reply : follow(target, task, now)
    }
    return put({}, context)
  }
  return {
    call,
    log(client, level, { data, logger }) {
      const context = connections.get(client)?.contextOf(originsOf(client)?.ofNotification())
      context?.log?.(level, redactAll(options.redact, data), logger)
    },
    async ask(client, { method, params }, id) {
      const origin = originsOf(client)?.ofRequest(id)
      const calls = askedOn(client)
      const context = calls.contextOf(origin)
      const asked = toAsked(method, params, {
        ...site,
        declared: context && toDeclared(options.mayAsk, context.clientCapabilities),
      })
      if ("unaskable" in asked) {
        drop(`a request of the server was declined: ${asked.unaskable}`)
        throw new ProtocolError(asked.code, asked.unaskable)
      }
      return toAnswered(asked, await calls.put(asked, origin))
    },
  }
}

/** Returns a task's reply with a continuation that never rejects. */
function toGuarded(reply: Reply, { target, options }: Waiting): Reply {
  if (reply.ok !== "ask") return reply
  const resume: Ask["resume"] = (answers, context) =>
    reply.resume(answers, context).then(
      (next) => bound(toGuarded(next, { target, context, options }), target.item, options),
      (cause: unknown) => toFailure(cause, target.item, { context, redact: options.redact }),
    )
  return { ...reply, resume }
}

/** A call and its waiting caller. */
interface Waiting {
  readonly target: Target
  readonly context: ExecuteContext
  readonly options: CallOptions
}

/**
 * Runs a call on a connection to the intended server only. Repeats it once if the server has forgotten the session, since
 * nothing ran then.
 */
async function withSession(waiting: Waiting, use: (session: Session) => Promise<Reply>): Promise<Reply> {
  const { target, context, options } = waiting
  const { keeper, limits, occupant, openOwn } = options
  const on = async (waitMs: number): Promise<{ readonly session: Session; readonly reply: () => Promise<Reply> }> => {
    const signal = abortableOf(context)
    const session = await keeper.session(waitMs, signal)
    const thing = await occupant.of(session, signal)
    const meant = thing === target.thing && (context.thing === undefined || context.thing === thing)
    const name = String(target.item["name"])
    if (!meant) return { session, reply: async () => changed(name) }
    const own = openOwn !== undefined && session.era === "legacy"
    return { session, reply: () => (own ? callOnOwn({ openOwn, context, target }, use) : use(session)) }
  }
  const { session, reply } = await on(limits.graceMs)
  try {
    return await reply()
  } catch (cause) {
    if (isLoss(cause)) session.fail(reasonOf(cause))
    if (!isUnknownSession(cause)) throw cause
    return (await on(limits.connectMs)).reply()
  }
}

/** Returns the `_meta` of a call: the caller's own, and for modern servers also the client's capabilities and log level. */
function toMeta(
  { era, client }: Session,
  { meta, log, clientCapabilities }: ExecuteContext,
  { mayAsk }: Pick<CallOptions, "mayAsk">,
): Parameters | undefined {
  if (era === "legacy") return meta
  const logs = client.getServerCapabilities()?.logging !== undefined
  // A client without tasks gets what the server answers such a client. Any other caller waits for the task here.
  const takesTasks = clientCapabilities === undefined || announcesTasks(clientCapabilities)
  return {
    ...meta,
    [CLIENT_CAPABILITIES_META_KEY]: {
      ...toDeclared(mayAsk, clientCapabilities),
      ...(takesTasks && announcesTasks(client.getServerCapabilities()) && { extensions: { [TASKS]: {} } }),
    },
    ...(logs && { [LOG_LEVEL_META_KEY]: log === undefined ? "info" : "debug" }),
  }
}

function bound(reply: Reply, tool: Listed, { limits, emit }: CallOptions): Reply {
  if (reply.ok === "ask") return reply
  const size = JSON.stringify(reply).length
  if (size <= limits.resultChars) return reply
  const message = `the result of ${JSON.stringify(tool["name"])} has ${size} characters, more than the ${limits.resultChars} that are passed on`
  emit({ type: "diagnostic", code: "result_too_large", message })
  const ran = reply.ok === true ? "; the call itself succeeded: do not repeat it" : ""
  return { ok: false, code: "too_large", message: `${message}${ran}`, recovery: "ask for less, or for a part of it" }
}
