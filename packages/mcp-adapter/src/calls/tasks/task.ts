import type { Principal } from "@x/agentic-service"
import type { JsonValue } from "@x/base"
import type { StoredRecord } from "@x/records"

/** A call that outlasted its request, as its caller may see it. */
export interface Task {
  /** Its id, which nobody can guess. */
  readonly id: string
  /** The name of the called tool. */
  readonly tool: string
  /** Its status. The last three are final. */
  readonly status: TaskStatus
  /** Its progress in words, or the reason of a failure. */
  readonly message?: string
  /** When its call was handed over, in milliseconds since 1970. */
  readonly createdAt: number
  /** When it last changed, in milliseconds since 1970. */
  readonly changedAt: number
  /** How long it lives after `createdAt`, in milliseconds. */
  readonly ttlMs: number
  /** The open questions to the caller's person and client, by keys that are unique during its life. */
  readonly requests?: { readonly [key: string]: JsonValue }
  /** Its result or error. Absent while it runs, and after a cancellation. */
  readonly end?: TaskEnd
}

/** The status of a task. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled"

/** The end of a task: the result of its call as JSON, or the reason why there is none. */
export type TaskEnd =
  | {
      /** The result of the call, as JSON. */
      readonly result: JsonValue
    }
  | {
      /** The reason why there is no result. */
      readonly error: TaskError
    }

/** The reason why a task has no result, in JSON-RPC's shape. Not an interface, which TypeScript would not accept as JSON. */
export type TaskError = {
  /** The code. */
  readonly code: number
  /** The message: the event, and the next step. */
  readonly message: string
  /** Details for the client. */
  readonly data?: JsonValue
}

/** A caller who asks for a task. */
export interface TaskCaller {
  /** The principal; absent where the binding knows none. */
  readonly principal?: Principal
}

/** A task as the store keeps it. Not an interface, which TypeScript would not accept as JSON. */
export type TaskRecord = {
  readonly tool: string
  /** The digest of the principal, without its scopes; the empty text stands for callers without a principal. */
  readonly principal: string
  /** Scopes that the action required. */
  readonly scopes: readonly string[]
  /** The process that runs it. */
  readonly runner: string
  readonly status: TaskStatus
  readonly message?: string
  readonly changedAt: number
  readonly requests?: { readonly [key: string]: JsonValue }
  readonly end?: TaskEnd
  /** Whether its caller asked another process to stop it. */
  readonly stop?: true
  /** Answers that reached another process, to the open questions. */
  readonly given?: { readonly [key: string]: JsonValue }
}

/** Whether a status is final. */
export function isOver(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled"
}

/** Returns a stored task as its caller may see it. */
export function toTask({ key, value, createdAt, expiresAt }: Omit<StoredRecord<TaskRecord>, "revision">): Task {
  const { tool, status, message, changedAt, requests, end } = value
  return {
    id: key,
    tool,
    status,
    createdAt,
    changedAt,
    ttlMs: Math.round(expiresAt - createdAt),
    ...(message !== undefined && { message }),
    ...(requests !== undefined && { requests }),
    ...(end !== undefined && { end }),
  }
}
