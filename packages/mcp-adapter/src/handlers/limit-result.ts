import { checkJson } from "@x/agentic-service/adapter"
import type { ObjectSchema } from "@x/tool-schemas"
import { formatPointer, isRecord, type JsonValue, parseJson, toJson, toWellFormed } from "@x/tool-schemas/json"
import type { HandlerOptions } from "./handler-options.js"
import { type Content, onOwnLine, type ToolResult, toText } from "./tool-result.js"

/** A result, and whose it is. */
interface Limited {
  /** The tool's name. */
  readonly tool: string
  /** The result. */
  readonly result: ToolResult
  /** What its structured content has to fulfil, where something is published; asked for only when that is cut. */
  readonly schema: () => ObjectSchema | undefined
  /** Whether its text is somebody else's, and stays as it is. */
  readonly verbatim: boolean
}

type Limits = Pick<HandlerOptions, "maxResultChars" | "wholeResultChars" | "host">

/**
 * Makes the text of a result no longer than hosts hand on to a model: lists and texts in it are cut, and it says where. The
 * structured content is cut with it where it still fulfils its schema, and else stays whole. Tells the operator.
 *
 * Only what takes more than can be sent at all, and cannot be cut, is an error, which says that the action ran.
 */
export function limitResult(limited: Limited, limits: Limits): ToolResult | Promise<ToolResult> {
  const { result, verbatim, tool } = limited
  const chars = countText(result.content)
  if (chars <= limits.maxResultChars || verbatim) return withinAll(limited, limits)
  const message = `the result of "${tool}" has ${chars} characters of text, more than ${limits.maxResultChars}: it is shortened`
  limits.host.report({ code: "result_too_large", message })
  return cut(limited, limits.maxResultChars).then((shorter) => withinAll({ ...limited, result: shorter }, limits))
}

function withinAll({ tool, result }: Limited, { wholeResultChars, host }: Limits): ToolResult {
  const size = weigh(result)
  if (size <= wholeResultChars) return result
  const message = `the result of "${tool}" has ${size} characters, more than the ${wholeResultChars} that are sent`
  host.report({ code: "result_too_large", message })
  const ran = result.isError
    ? ""
    : ", so it is left out; the call itself succeeded: do not make it again for its effect"
  return { content: [toText(`${message}${ran} (too_large)\nask for less, or for a part of it`)], isError: true }
}

async function cut({ result, schema }: Limited, room: number): Promise<ToolResult> {
  const { structuredContent: structured, content, isError } = result
  if (structured === undefined || isError) return { ...result, content: cutTexts(content, room) }
  const shorter = shortenJson(toJson(structured), room - NOTE)
  const [first, ...rest] = content
  if (first === undefined) return result
  if (shorter !== undefined && isRecord(shorter.json) && (await fulfils(shorter.json, schema()))) {
    const texts = [toText(JSON.stringify(shorter.json)), toNote(shorter.cuts), ...rest]
    return { ...result, content: cutTexts(texts, room), structuredContent: shorter.json }
  }
  const beginning = `${String(first["text"]).slice(0, BEGINNING)}…`
  const where = "\n(this is the beginning: the structured content is whole; to have less of it, ask for a part)"
  return { ...result, content: cutTexts([toText(beginning + where), ...rest], room) }
}

/** Room for what is said of the cuts. */
const NOTE = 1_000

/** How much is shown of a text whose whole stands beside it. */
const BEGINNING = 1_000

async function fulfils(json: JsonValue, schema: ObjectSchema | undefined): Promise<boolean> {
  return schema === undefined || (await checkJson(schema, json)).ok
}

/** Cuts the longest texts first, each as JSON where it is some. */
function cutTexts(content: readonly Content[], room: number): readonly Content[] {
  if (countText(content) <= room) return content
  const lengths = content.map(textOf).map(({ length }) => length)
  const share = shareOut(
    [...lengths].sort((one, other) => one - other),
    room,
  )
  return content.flatMap((block) => (textOf(block).length <= share ? [block] : cutText(block, Math.max(share, NOTE))))
}

function cutText(block: Content, room: number): readonly Content[] {
  const text = textOf(block)
  const json = parseJson(text)
  const shorter = isRecord(json) ? shortenJson(toJson(json), room - NOTE) : undefined
  if (shorter !== undefined) return [{ ...block, text: JSON.stringify(shorter.json) }, toNote(shorter.cuts)]
  const kept = Math.max(0, room - NOTE)
  const left = `\n(${text.length - kept} more characters are left out: ask for less, or for a part)`
  return [{ ...block, ...toText(text.slice(0, kept) + left) }]
}

/** How much each may take, so that all fit: what needs less leaves the rest to the others. */
function shareOut(sorted: readonly number[], room: number): number {
  let left = room
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function toNote(cuts: readonly string[]): Content {
  const [most, more] = [cuts.slice(0, 5), cuts.length - 5]
  const rest = more > 0 ? [`${more} more places`] : []
  return onOwnLine(toText(`(shortened, ${[...most, ...rest].join("; ")}: ask for less, or for a part)`.slice(0, NOTE)))
}

/** JSON with shorter lists and texts, and what was cut. */
interface Shorter {
  readonly json: JsonValue
  readonly cuts: readonly string[]
}

/** Cuts lists and texts, all to the same length, until the whole fits; `undefined` where that is not enough. */
function shortenJson(json: JsonValue, room: number): Shorter | undefined {
  for (let most = room; most >= 1; most = Math.floor(most / 2)) {
    const cuts: string[] = []
    const shorter = cutJson(json, most, { at: [], cuts })
    if (JSON.stringify(shorter).length <= room) return { json: shorter, cuts }
  }
  return undefined
}

interface Cutting {
  readonly at: readonly (string | number)[]
  readonly cuts: string[]
}

function cutJson(json: JsonValue, most: number, { at, cuts }: Cutting): JsonValue {
  const note = (length: number, of: string): void => {
    cuts.push(`${formatPointer(at.map(String))} to the first ${most} of ${length} ${of}`)
  }
  if (typeof json === "string") {
    if (json.length <= most) return json
    note(json.length, "characters")
    return toWellFormed(json.slice(0, most))
  }
  if (typeof json !== "object" || json === null) return json
  const cutIn = (value: JsonValue, step: string | number): JsonValue =>
    cutJson(value, most, { at: [...at, step], cuts })
  if (!isList(json)) return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, cutIn(value, key)]))
  if (json.length > most) note(json.length, "items")
  return json.slice(0, most).map(cutIn)
}

function isList(json: JsonValue): json is readonly JsonValue[] {
  return Array.isArray(json)
}

function countText(content: readonly Content[]): number {
  return content.reduce((sum, block) => sum + textOf(block).length, 0)
}

function textOf({ type, text }: Content): string {
  return type === "text" && typeof text === "string" ? text : ""
}

/** What a result takes as JSON, or a little less: its text is not written twice to learn that. */
function weigh({ content, structuredContent, _meta }: ToolResult): number {
  const texts = countText(content)
  const others = content.filter(({ type }) => type !== "text")
  const data = structuredContent !== undefined || _meta !== undefined || others.length > 0
  return texts + (data ? JSON.stringify({ others, structuredContent, _meta }).length : 0)
}
