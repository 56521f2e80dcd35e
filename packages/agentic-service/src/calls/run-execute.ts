import { hasMethod, isBytes, isRecord, memberOf } from "@x/base"
import type { ExecuteContext } from "../execute-context.js"
import {
  type Block,
  type FailOptions,
  type Failure,
  failure,
  isContent,
  isFailed,
  type Meta,
  type Outcome,
  type Success,
} from "../outcome.js"
import type { Report } from "../report.js"
import type { Checked } from "../service.js"
import { ServiceError } from "../service-error.js"
import { poll } from "../sources/polls.js"
import { abortableOf } from "./abortable.js"
import { aborted, actionFailed, confirmationUnavailable, invalidOutput, listIssues, streamed } from "./failures.js"
import type { ToFailure } from "./own-errors.js"

/** An action about to run on checked input. */
export interface Run {
  /** The action's key, for messages and reports. */
  readonly key: string
  /** Whether a person must be asked first, and was not. */
  readonly unanswered: boolean
  /** Checks a successful value. Absent without an output schema. */
  readonly checkOutput?: ((value: unknown) => Checked | Promise<Checked>) | undefined
  /** Whether the output schema has its own `content` or `isError`: then MCP's result shape is a plain value. */
  readonly ownContent?: boolean
  /** Reports details that the caller must not see. */
  readonly report: Report
  /** Converts the author's own errors. Default: none. */
  readonly toFailure?: ToFailure | undefined
  /** The author's function. It may throw, reject, or return anything. */
  run(): unknown
}

/** Runs the author's function and converts its result to an outcome. Never rejects. */
export async function runExecute(action: Run, context: Pick<ExecuteContext, "signal">): Promise<Outcome> {
  const stop = abortableOf(context)
  if (action.unanswered) return confirmationUnavailable(action.key)
  if (stop.aborted) return aborted(action.key)
  try {
    const returned = await action.run()
    // An error in JSON is an empty object, so a returned error counts as thrown.
    if (returned instanceof Error) throw returned
    return await settle(action, returned)
  } catch (thrown) {
    const error = ServiceError.from(thrown)
    if (error === thrown) return show(action, error)
    // An action that stops because of its signal has not failed.
    const gaveUp = stop.aborted && (thrown === stop.reason || error.code === "aborted")
    return gaveUp ? aborted(action.key) : (tell(action, thrown) ?? fail(action, thrown))
  } finally {
    // The result reports the action's changes, including those of polled sources.
    poll()
  }
}

async function settle(action: Run, returned: unknown): Promise<Outcome> {
  if (isFailed(returned)) return failure(returned.message, returned)
  if (!isContent(returned)) return isStream(returned) ? refuseStream(action) : settleValue(action, returned)
  if (isStream(returned.value)) return refuseStream(action)
  const outcome = await succeed(action, returned.value)
  if (!outcome.ok) return outcome
  const { blocks, meta } = returned
  // Untyped code may give anything as blocks.
  const content = [blocks ?? []].flat().map(toNeutralBlock)
  return { ...outcome, content, ...(meta === undefined ? {} : { meta }) }
}

/** Converts a plain return value: a value, or MCP's result or block. */
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
  const cause = new ServiceError(
    [`the result of action "${key}" does not match its output schema:`, ...listIssues(checked.issues)].join("\n"),
    {
      code: "invalid_output",
      cause: value,
    },
  )
  report({ kind: "action", key, cause })
  return invalidOutput(key)
}

/** Checks for a stream, which JSON would show as an empty object. */
function isStream(value: unknown): boolean {
  if (hasMethod(value, "subscribe") || hasMethod(value, Symbol.observable)) return true
  if (hasMethod(value, "@@observable") || hasMethod(value, Symbol.asyncIterator)) return true
  return hasMethod(value, "next") && hasMethod(value, Symbol.iterator)
}

function refuseStream({ key, report }: Run): Failure {
  const told = streamed(key)
  const message = `${told.message}: wait for the final value, such as with "await firstValueFrom(…)", and report earlier values as progress`
  report({ kind: "action", key, cause: new ServiceError(message, { code: "invalid_output" }) })
  return told
}

/** Shows the author's error, and reports its cause. */
function show({ key, report }: Run, error: ServiceError): Failure {
  if (error.cause !== undefined) report({ kind: "action", key, cause: error, id: newId() })
  return failure(error.message, toOptions(error))
}

/** Shows the author's own class of error, and reports its cause. */
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

/** Reports a thrown value, with an id for the caller. */
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

// Authors who know MCP return its own shapes. These are read by their meaning in MCP instead of being shown as JSON.

/**
 * Reads an action's return value as MCP's own result (`{ content, isError }`), content block or list of blocks. Returns
 * `undefined` for anything else, which is a plain value.
 *
 * @param own - Whether the action promises a value: then blocks without a value are themselves the value, and so is a result
 *   without `structuredContent`.
 */
function readMcpShape(value: unknown, own: boolean): Success | Failure | undefined {
  if (isEnvelope(value)) return readEnvelope(value, own)
  if (own) return undefined
  if (isBlock(value)) return { ok: true, content: [toNeutralBlock(value)] }
  const blocks = Array.isArray(value) && value.length > 0 && value.every(isBlock)
  return blocks ? { ok: true, content: value.map(toNeutralBlock) } : undefined
}

/**
 * Converts a content block to this package's shape: MCP nests an embedded resource, and calls `meta` `_meta`. A string becomes
 * a text block. Anything else is passed on unchanged, and reported when shown.
 *
 * @example
 * ```ts
 * import { toNeutralBlock } from "@x/agentic-service/adapter"
 *
 * const resource = { uri: "file:///note.txt", text: "Milk" }
 * console.log(toNeutralBlock({ type: "resource", resource, _meta: { pages: 1 } }))
 * // { type: 'resource', uri: 'file:///note.txt', text: 'Milk', meta: { pages: 1 } }
 * ```
 */
export function toNeutralBlock(given: unknown): Block {
  if (typeof given === "string") return { type: "text", text: given }
  if (!isRecord(given)) return given as Block // a wrong type, as documented above
  const { _meta, resource, ...rest } = given
  const nested = given["type"] === "resource" && isRecord(resource) ? resource : undefined
  if (_meta === undefined && nested === undefined) return given as unknown as Block // as far as it is one
  const { _meta: inner, ...contents } = nested ?? {}
  const meta = isRecord(_meta) && isRecord(inner) ? { ..._meta, ...inner } : [_meta, inner].find(isRecord)
  return { ...rest, ...contents, ...(meta && { meta }) } as unknown as Block // its members are checked when shown
}

type Envelope = {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly _meta?: unknown
  readonly isError?: unknown
}

/** The members of MCP's tool result (2026-07-28, server/tools). An object with any other member is the author's own value. */
const MEMBERS: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "_meta", "resultType"])

function isEnvelope(value: unknown): value is Envelope {
  if (!isRecord(value) || !Object.keys(value).every((key) => MEMBERS.has(key))) return false
  const { content, isError, structuredContent } = value
  if (isError === true) return content === undefined || typeof content === "string" || Array.isArray(content)
  if (!Array.isArray(content) || (isError !== undefined && isError !== false)) return false
  return content.some(looksLikeBlock) || isRecord(structuredContent)
}

function readEnvelope(envelope: Envelope, own: boolean): Success | Failure | undefined {
  const { content = [], structuredContent, isError, _meta } = envelope
  const blocks = (Array.isArray(content) ? content : [content]).map(toNeutralBlock)
  const meta: { readonly meta?: Meta } = isRecord(_meta) ? { meta: _meta } : {}
  if (isError === true) return toFailed(blocks, { structured: structuredContent, ...meta })
  if (own && structuredContent === undefined) return undefined
  return { ok: true, ...(structuredContent !== undefined && { value: structuredContent }), content: blocks, ...meta }
}

/** Converts a failed result: its texts become the message, and other content stays beside it. */
function toFailed(
  blocks: readonly Block[],
  { structured, meta }: { readonly structured: unknown; readonly meta?: Meta },
): Failure {
  const texts = blocks.flatMap((block) => (isText(block) ? [block.text] : []))
  const others = blocks.filter((block) => !isText(block))
  return failure(texts.join("\n"), {
    ...(others.length > 0 && { content: others }),
    ...(structured !== undefined && { structured }),
    ...(meta && { meta }),
  })
}

function isText(block: unknown): block is { readonly text: string } {
  return isRecord(block) && block["type"] === "text" && typeof block["text"] === "string"
}

const TYPES: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"]

/** Checks whether a list item is meant as a block, valid or not. */
function looksLikeBlock(value: unknown): boolean {
  return isRecord(value) && TYPES.includes(value["type"])
}

/** Checks for a valid block and nothing more, because authors' own data may have a `type` too. */
function isBlock(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { type, text, data, mimeType, resource, uri, name } = value
  switch (type) {
    case "text":
      return typeof text === "string" && Object.keys(value).every((key) => TEXT_MEMBERS.has(key))
    case "image":
    case "audio":
      return typeof mimeType === "string" && (typeof data === "string" || isBytes(data))
    case "resource_link":
      return typeof uri === "string" && typeof name === "string"
    case "resource":
      return isRecord(resource) && typeof resource["uri"] === "string"
    default:
      return false
  }
}

const TEXT_MEMBERS: ReadonlySet<string> = new Set(["type", "text", "annotations", "_meta"])
