import { checkJson } from "@x/agentic-service/adapter"
import { isRecord, type JsonValue, parseJson, toJson } from "@x/base"
import type { ObjectSchema } from "@x/tool-schemas"
import type { HandlerOptions } from "./handler-options.js"
import { shortenJson } from "./shorten-json.js"
import { type Content, onOwnLine, type ToolResult, toText } from "./tool-result.js"

/** A result and its origin. */
interface Limited {
  /** The tool's name. */
  readonly tool: string
  /** The result. */
  readonly result: ToolResult
  /** Returns the published schema of the structured content, if any. Called only for a cut. */
  readonly schema: () => ObjectSchema | undefined
  /** Whether its text comes from another server and must stay unchanged. */
  readonly verbatim: boolean
}

type Limits = Pick<HandlerOptions, "maxResultChars" | "wholeResultChars" | "host">

/**
 * Shortens a result's text to the length that hosts pass on to a model. Lists and texts are cut, with a note of each place.
 * Structured content is cut too if it still matches its schema, and stays whole otherwise. Each cut is reported to the
 * operator.
 *
 * A result that is too large to send loses its largest blocks, and everything that its schema does not require. A success stays
 * one: a model that reads an error would repeat a call that already had its effect.
 */
export function limitResult(limited: Limited, limits: Limits): ToolResult | Promise<ToolResult> {
  const { result, verbatim, tool } = limited
  const chars = countText(result.content)
  if (chars <= limits.maxResultChars || verbatim) return withinAll(limited, limits)
  const message = `the result of "${tool}" has ${chars} characters of text, more than ${limits.maxResultChars}: it is shortened`
  limits.host.report({ code: "result_too_large", message })
  return cut(limited, limits.maxResultChars).then((shorter) => withinAll({ ...limited, result: shorter }, limits))
}

function withinAll(limited: Limited, { wholeResultChars: room, host }: Limits): ToolResult | Promise<ToolResult> {
  const { tool, result } = limited
  const size = weigh(result)
  if (size <= room) return result
  const message = `the result of "${tool}" has ${size} characters, more than the limit of ${room}: parts are left out`
  host.report({ code: "result_too_large", message })
  return leaveOut(limited, room)
}

async function leaveOut({ result, schema }: Limited, room: number): Promise<ToolResult> {
  const { content, structuredContent: structured, _meta, ...rest } = result
  const share = room / 4
  const blocks = withoutLargest(cutTexts(content, share), share)
  const kept = await leaveOutOf(structured, { room: room / 2, schema: schema() })
  const notes = kept.note === undefined ? [] : [onOwnLine(toText(kept.note))]
  return {
    ...rest,
    content: [...blocks, ...notes],
    ...(kept.structured !== undefined && { structuredContent: kept.structured }),
    ...(_meta !== undefined && JSON.stringify(_meta).length <= share && { _meta }),
  }
}

/** Replaces the largest media blocks by a note until the others fit. */
function withoutLargest(content: readonly Content[], room: number): readonly Content[] {
  const sizes = new Map(content.map((block) => [block, block.type === "text" ? 0 : JSON.stringify(block).length]))
  let left = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const out = new Set<Content>()
  for (const [block, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (left <= room) break
    out.add(block)
    left -= size
  }
  return content.map((block) => {
    const what = `(${String(block.type)} of ${sizes.get(block)} characters is left out: the result is too large)`
    return out.has(block) ? onOwnLine(toText(what)) : block
  })
}

interface Kept {
  readonly structured?: ToolResult["structuredContent"]
  readonly note?: string
}

/**
 * Shortens structured content. Content that its schema requires whole stays, at any size: without it, clients turn the result
 * into an error.
 */
async function leaveOutOf(
  structured: ToolResult["structuredContent"],
  { room, schema }: { readonly room: number; readonly schema: ObjectSchema | undefined },
): Promise<Kept> {
  if (structured === undefined || JSON.stringify(structured).length <= room) return { structured }
  const shorter = shortenJson(toJson(structured), room, { members: true })
  if (shorter !== undefined && isRecord(shorter.json) && (await fulfils(shorter.json, schema)))
    return { structured: shorter.json, note: noteOf(shorter.cuts) }
  if (schema !== undefined) return { structured }
  return { note: "(the structured content is left out, because it is too large: ask for less, or for a part)" }
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
  const where = "\n(this is only the beginning; the structured content is complete. To get less, ask for a part)"
  return { ...result, content: cutTexts([toText(beginning + where), ...rest], room) }
}

/** Characters reserved for notes about cuts. */
const NOTE = 1_000

/** Characters shown of a text whose whole content is also sent as structure. */
const BEGINNING = 1_000

async function fulfils(json: JsonValue, schema: ObjectSchema | undefined): Promise<boolean> {
  return schema === undefined || (await checkJson(schema, json)).ok
}

/** Cuts the longest texts first. JSON objects are cut as such. */
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

/** Returns the length allowed to each text so that all fit: short ones leave their rest to others. */
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
  return onOwnLine(toText(noteOf(cuts)))
}

function noteOf(cuts: readonly string[]): string {
  const [most, more] = [cuts.slice(0, 5), cuts.length - 5]
  const rest = more > 0 ? [`${more} more places`] : []
  return `(shortened, ${[...most, ...rest].join("; ")}: ask for less, or for a part)`.slice(0, NOTE)
}

function countText(content: readonly Content[]): number {
  return content.reduce((sum, block) => sum + textOf(block).length, 0)
}

function textOf({ type, text }: Content): string {
  return type === "text" && typeof text === "string" ? text : ""
}

/** Estimates a result's length as JSON from below, without serialising its text again. */
function weigh({ content, structuredContent, _meta }: ToolResult): number {
  const texts = countText(content)
  const others = content.filter(({ type }) => type !== "text")
  const data = structuredContent !== undefined || _meta !== undefined || others.length > 0
  return texts + (data ? JSON.stringify({ others, structuredContent, _meta }).length : 0)
}
