import type { ExecuteContext, Progress } from "@x/agentic-service"
import { abortableOf } from "@x/agentic-service/adapter"
import { isRecord, toJson } from "@x/base"
import {
  type AnyFrame,
  type CallRequest,
  type CheckRequest,
  isId,
  type MirrorFrame,
  type ReadRequest,
  type ResumeRequest,
  type WireContext,
} from "../frames.js"
import { now } from "../time.js"

/** This side's requests, each with one result. */
export interface Requests {
  /** Sends a request. Resolves with the result, or with `lost` and a reason. Never rejects. */
  ask(request: Asked, context: RequestContext): Promise<Came>
  /** Handles a frame about a pending request. */
  take(frame: AnyFrame): void
  /** Returns the number of pending requests. */
  running(): number
  /** Settles all pending requests as lost. */
  lose(reason: string): void
}

/** A request without the common fields. */
export type Asked = CallRequest | CheckRequest | ReadRequest | ResumeRequest

/** The caller's context. */
export type RequestContext = Pick<ExecuteContext, "signal"> & Partial<ExecuteContext>

/** A request's result and number (needed to answer a question), or why the connection was lost. */
export type Came = { readonly result: unknown; readonly id: number } | { readonly lost: string }

/** Options of the requests. */
export interface RequestOptions {
  /** Sends a frame. */
  readonly send: (frame: MirrorFrame) => void
  /**
   * Returns how long a request may still be started, in milliseconds, before its caller is told that the other side is lost.
   */
  readonly ttl: () => number
  /** How long the other side has to answer a cancelled request, in milliseconds. */
  readonly graceMs: number
  /** Called whenever a request is settled. */
  readonly answered: () => void
}

/** Creates an empty set of requests. */
export function createRequests({ send, ttl, graceMs, answered }: RequestOptions): Requests {
  const open = new Map<number, { settle(came: Came): void; progress(progress: unknown): void }>()
  let nextId = 0
  let lost: string | undefined

  return {
    ask(request, context) {
      if (lost !== undefined) return Promise.resolve({ lost })
      const id = nextId
      nextId += 1
      return new Promise((resolve) => {
        const signal = abortableOf(context)
        let grace: ReturnType<typeof setTimeout> | undefined
        const settle = (came: Came): void => {
          clearTimeout(grace)
          signal.removeEventListener("abort", cancel)
          open.delete(id)
          resolve(came)
          answered()
        }
        const cancel = (): void => {
          send({ t: "cancel", id })
          // An action that honours the cancellation answers in time. Others are not waited for.
          grace = setTimeout(() => settle({ result: { ok: "aborted" }, id }), graceMs)
        }
        open.set(id, {
          settle,
          progress(report) {
            if (isProgress(report)) context.progress?.(report)
            send({ t: "more", id })
          },
        })
        send({ ...request, id, at: now(), ttl: ttl(), ...writeContext(context) })
        if (signal.aborted) cancel()
        else signal.addEventListener("abort", cancel)
      })
    },
    take({ t, id, r, p }) {
      const request = isId(id) ? open.get(id) : undefined
      if (request === undefined || !isId(id)) return
      if (t === "result") request.settle({ result: r, id })
      if (t === "progress") request.progress(p)
    },
    running: () => open.size,
    lose(reason) {
      lost = reason
      for (const { settle } of [...open.values()]) settle({ lost: reason })
    },
  }
}

function writeContext({ principal, answers, confirmed }: RequestContext): { readonly c?: WireContext } {
  const asked = answers !== undefined && Object.keys(answers).length > 0
  if (principal === undefined && !asked && confirmed === undefined) return {}
  return {
    c: {
      ...(principal && { principal: toJson(principal) }),
      ...(asked && { answers: toJson(answers) }),
      ...(confirmed && { confirmed }),
    },
  }
}

function isProgress(value: unknown): value is Progress {
  if (!isRecord(value)) return false
  const { progress, total, message, text } = value
  return (
    typeof progress === "number" &&
    (total === undefined || typeof total === "number") &&
    [message, text].every((part) => part === undefined || typeof part === "string")
  )
}
