import type { Action, Failure } from "@x/agentic-service"
import { type Issue, invalidInput } from "@x/agentic-service/adapter"
import { createDeferred } from "@x/base"
import type { ToolEntry } from "../catalogue/entry.js"
import type { ActiveCall, OpenCalls, StopCause } from "./active-call.js"
import type { Arguments } from "./call-context.js"
import type { Available } from "./call-subject.js"
import { causeOf, toStopped } from "./failures.js"

/** Checked input, or the failure that says where it is wrong. */
type CheckedInput = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly failure: Failure }

/**
 * Converts the arguments to the action's input and lets the action check it. An asynchronous check that is still pending when
 * the call is cancelled, or when the server closes, is abandoned.
 */
export async function checkInput(
  call: ActiveCall,
  { entry, action }: Available,
  calls: Pick<OpenCalls, "running">,
): Promise<CheckedInput> {
  const extra = findExtra(call.args, entry)
  if (extra.length > 0) return { ok: false, failure: invalidInput(call.subject.name, extra) }
  const checking = action.check(entry.toInput(call.args))
  const checked = checking instanceof Promise ? await untilStopped(call, checking, calls) : await checking
  if (checked.ok) return checked
  if (checked.failure !== undefined) return { ok: false, failure: checked.failure }
  // The caller knows the published arguments, so issues give their paths.
  const issues = checked.issues.map(({ path, message }) => ({ path: entry.toSentPlace(path, call.args), message }))
  return { ok: false, failure: invalidInput(call.subject.name, issues) }
}

type Checked = Awaited<ReturnType<Action["check"]>>

/** Waits for a check, but no longer than for the call. */
async function untilStopped(
  { stop, subject }: ActiveCall,
  checking: Promise<Checked>,
  calls: Pick<OpenCalls, "running">,
): Promise<Checked> {
  const { promise: stopped, resolve } = createDeferred<Checked>()
  const end = (cause: StopCause): void => resolve({ ok: false, issues: [], failure: toStopped(subject.name, cause, 0) })
  const onAbort = (): void => end(causeOf(stop))
  stop.addEventListener("abort", onAbort)
  const ended = calls.running({ stop: end })
  try {
    return await Promise.race([checking, stopped])
  } finally {
    stop.removeEventListener("abort", onAbort)
    ended()
  }
}

/** If the published schema is ours, the action's check never sees extra arguments. */
function findExtra(args: Arguments, { schema, wrapped }: ToolEntry): readonly Issue[] {
  if (schema !== undefined && wrapped === undefined) return []
  const expected = wrapped === undefined ? "no arguments" : `only "${wrapped}"`
  const extra = Object.keys(args).filter((key) => key !== wrapped)
  return extra.map((key) => ({ path: [key], message: `expected ${expected}` }))
}
