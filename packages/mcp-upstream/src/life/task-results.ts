import { isRecord } from "@x/base"

/** The extension for calls that outlast their requests (SEP-2663). */
export const TASKS = "io.modelcontextprotocol/tasks"

/** The `_meta` key under which a task passes through the SDK. */
const KEY = "agentic/task"

/** Whether capabilities contain the extension for tasks. */
export function announcesTasks(capabilities: { readonly extensions?: unknown } | undefined): boolean {
  return isRecord(capabilities?.extensions) && isRecord(capabilities.extensions[TASKS])
}

/** Rewrites an answer that names a task. The SDK's client knows no such result and rejects it. */
export function withTask<Message>(message: Message): Message {
  const result: unknown = isRecord(message) ? message["result"] : undefined
  if (!isRecord(result) || result["resultType"] !== "task") return message
  return { ...message, result: { resultType: "complete", content: [], _meta: { [KEY]: result } } }
}

/** Returns the task of a rewritten answer. */
export function taskOf({ _meta }: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const task = isRecord(_meta) ? _meta[KEY] : undefined
  return isRecord(task) && typeof task["taskId"] === "string" ? { ...task } : undefined
}
