import { hasMethod, memberOf } from "@x/tool-schemas/json"
import type { ExecuteContext } from "../execute-context.js"
import { type FailOptions, type Failure, failure, isContent, isFailed, type Outcome } from "../outcome.js"
import type { Report } from "../report.js"
import type { Checked } from "../service.js"
import { ServiceError } from "../service-error.js"
import { poll } from "../sources/polls.js"
import { abortableOf } from "./abortable.js"
import { aborted, actionFailed, confirmationUnavailable, invalidOutput, listIssues, streamed } from "./failures.js"
import { readMcpShape, toNeutralBlock } from "./mcp-shapes.js"
import type { ToFailure } from "./own-errors.js"

/** An action about to run on checked input. */
export interface Run {
  /** The action's key, for messages and reports. */
  readonly key: string
  /** Whether a person has to be asked first, and was not. */
  readonly unanswered: boolean
  /** Checks a successful value, where the action promises one. */
  readonly checkOutput?: ((value: unknown) => Checked | Promise<Checked>) | undefined
  /** Whether its output has a `content` or `isError` of its own: then MCP's shape of a result is a value like any other. */
  readonly ownContent?: boolean
  /** Is told what the caller must not see. */
  readonly report: Report
  /** Tells errors of the author's own. Default: none are told. */
  readonly toFailure?: ToFailure | undefined
  /** The author's function; may throw, reject, return anything. */
  run(): unknown
}

/** Runs the author's function and makes an outcome of whatever comes of it. Never rejects. */
export async function runAction(action: Run, context: Pick<ExecuteContext, "signal">): Promise<Outcome> {
  const stop = abortableOf(context)
  if (action.unanswered) return confirmationUnavailable(action.key)
  if (stop.aborted) return aborted(action.key)
  try {
    const returned = await action.run()
    // As JSON an error is an empty object: whoever returns one means what whoever throws it means.
    if (returned instanceof Error) throw returned
    return await settle(action, returned)
  } catch (thrown) {
    const error = ServiceError.from(thrown)
    if (error === thrown) return show(action, error)
    // Giving up because of the signal is no fault of the action.
    const gaveUp = stop.aborted && (thrown === stop.reason || error.code === "aborted")
    return gaveUp ? aborted(action.key) : (tell(action, thrown) ?? fail(action, thrown))
  } finally {
    // What the action changed is told with its result, also where nothing tells of changes.
    poll()
  }
}

async function settle(action: Run, returned: unknown): Promise<Outcome> {
  if (isFailed(returned)) return failure(returned.message, returned)
  if (isStream(isContent(returned) ? returned.value : returned)) return refuseStream(action)
  if (!isContent(returned)) return settleValue(action, returned)
  const outcome = await succeed(action, returned.value)
  if (!outcome.ok) return outcome
  const { blocks, meta } = returned
  // Code without types may give anything as blocks.
  const content = [blocks ?? []].flat().map(toNeutralBlock)
  return { ...outcome, content, ...(meta === undefined ? {} : { meta }) }
}

/** Takes what is returned plainly: a value, or what MCP has as a result or a block. */
async function settleValue(action: Run, returned: unknown): Promise<Outcome> {
  const shaped = action.ownContent ? undefined : readMcpShape(returned, action.checkOutput !== undefined)
  if (shaped === undefined) return succeed(action, returned)
  if (!shaped.ok || !("value" in shaped)) return shaped
  const outcome = await succeed(action, shaped.value)
  return outcome.ok ? { ...shaped, ...outcome } : outcome
}

async function succeed({ key, checkOutput, report }: Run, value: unknown): Promise<Outcome> {
  if (!checkOutput) return value === undefined ? { ok: true } : { ok: true, value }
  const checked = await checkOutput(value)
  if (checked.ok) return { ok: true, value: checked.input }
  const cause = new ServiceError([`action "${key}" broke its output:`, ...listIssues(checked.issues)].join("\n"), {
    code: "invalid_output",
    cause: value,
  })
  report({ kind: "action", key, cause })
  return invalidOutput(key)
}

/** Nothing could be read of it: as JSON it is an empty object. */
function isStream(value: unknown): boolean {
  if (["subscribe", Symbol.observable, "@@observable", Symbol.asyncIterator].some((key) => hasMethod(value, key)))
    return true
  return hasMethod(value, "next") && hasMethod(value, Symbol.iterator)
}

function refuseStream({ key, report }: Run): Failure {
  const told = streamed(key)
  const message = `${told.message}: wait for the value, such as with "await firstValueFrom(…)", and report what comes before it as progress`
  report({ kind: "action", key, cause: new ServiceError(message, { code: "invalid_output" }) })
  return told
}

/** What the author says is shown; what lies behind it is for the log. */
function show({ key, report }: Run, error: ServiceError): Failure {
  if (error.cause !== undefined) report({ kind: "action", key, cause: error, id: newId() })
  return failure(error.message, toOptions(error))
}

/** An error of the author's own says what happened; what lies behind it is for the log. */
function tell({ key, report, toFailure }: Run, thrown: unknown): Failure | undefined {
  try {
    const told = toFailure?.(thrown)
    if (told && memberOf(thrown, "cause") !== undefined) report({ kind: "action", key, cause: thrown, id: newId() })
    return told
  } catch (cause) {
    report({ kind: "action", key, cause })
    return undefined
  }
}

/** What was thrown is for the log alone; the id finds it there. */
function fail({ key, report }: Run, cause: unknown): Failure {
  const id = newId()
  report({ kind: "action", key, cause, id })
  return actionFailed(id)
}

function newId(): string {
  return Math.random().toString(36).slice(2, 10)
}

function toOptions({ code, recovery }: ServiceError): FailOptions {
  return { code, ...(recovery === undefined ? {} : { recovery }) }
}
