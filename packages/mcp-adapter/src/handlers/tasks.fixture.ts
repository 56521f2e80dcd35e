import { type ActionOptions, action, createAgenticService, type ExecuteContext } from "@x/agentic-service"
import { createDeferred } from "@x/base"
import { onTestFinished } from "vitest"
import type { CallContext } from "../calls/call-context.js"
import { TASKS } from "../calls/client-requests.js"
import { contextWith } from "../calls/serve.fixture.js"
import { type AnswerOptions, answer } from "./answer.fixture.js"

/** The leg of modern clients. */
export const leg = { transport: "stdio", era: "modern", notices: true } as const
/** Creates the context of a client that takes tasks. */
export const taking = (parts: Partial<CallContext> = {}): CallContext =>
  contextWith({ leg, clientCapabilities: { extensions: { [TASKS]: {} } }, ...parts })

const Rows = { type: "object", properties: { rows: { type: "integer" } }, required: ["rows"] } as const

/** Serves an export that ends when told to. */
export function serveExport(
  { ...given }: AnswerOptions = {},
  parts: Partial<ActionOptions<undefined, typeof Rows>> = {},
) {
  const work = createDeferred<{ readonly rows: number }>()
  const contexts: ExecuteContext[] = []
  const exports = action({
    description: "Exports all rows",
    output: Rows,
    long: true,
    execute(_, context) {
      contexts.push(context)
      return Promise.race([work.promise, untilAborted(context.signal)])
    },
    ...parts,
  })
  const greet = action({ description: "Greets", execute: () => ({ hello: true }) })
  const served = answer(createAgenticService({ name: "board", actions: { exports, greet } }), {
    long: { patienceMs: 0, wordsAfterMs: 0 },
    ...given,
  })
  onTestFinished(() => served.calls.close(() => undefined))
  const ask = (method: string, id: unknown, context = taking()) => served.request(method, { taskId: id }, context)
  return {
    ...served,
    work,
    contexts,
    /** Starts the export as a task. Returns its id. */
    start: async (context = taking()) =>
      String((await served.request("tools/call", { name: "exports" }, context))["taskId"]),
    get: (id: unknown, context?: CallContext) => ask("tasks/get", id, context),
    cancel: (id: unknown, context?: CallContext) => ask("tasks/cancel", id, context),
    tool: (name: string, args: object, context = contextWith()) =>
      served.request("tools/call", { name, arguments: { ...args } }, context),
    over: (id: string) => until(async () => (await served.calls.tasks.find(id, {}))?.status !== "working"),
  }
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("stopped")))
  })
}

/** Resolves once a condition holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the text of a result. */
export const textOf = (result: object): string => {
  const content: readonly { readonly text: string }[] = Reflect.get(result, "content")
  return content.map(({ text }) => text).join("\n")
}
