import { checkJson } from "@x/agentic-service/adapter"
import type { ObjectSchema } from "@x/tool-schemas"
import { isRecord, type JsonValue, parseJson, toJson } from "@x/tool-schemas/json"
import type { HandlerOptions } from "./handler-options.js"
import { shortenJson } from "./shorten-json.js"
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
 * What takes more than can be sent at all loses its largest blocks, and what its schema can do without. A success stays one: whoever
 * read an error would make the call again, for an effect that it had.
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
  const message = `the result of "${tool}" has ${size} characters, more than the ${room} that are sent: parts are left out`
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

/** Puts a word in the place of the largest blocks that are no text, until the others fit. */
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
    const what = `(${String(block.type)} of ${sizes.get(block)} characters is left out: it is more than is sent)`
    return out.has(block) ? onOwnLine(toText(what)) : block
  })
}

interface Kept {
  readonly structured?: ToolResult["structuredContent"]
  readonly note?: string
}

/** What a schema asks for whole is sent whole, whatever it takes: without it, clients make an error of the result. */
async function leaveOutOf(
  structured: ToolResult["structuredContent"],
  { room, schema }: { readonly room: number; readonly schema: ObjectSchema | undefined },
): Promise<Kept> {
  if (structured === undefined || JSON.stringify(structured).length <= room) return { structured }
  const shorter = shortenJson(toJson(structured), room, { members: true })
  if (shorter !== undefined && isRecord(shorter.json) && (await fulfils(shorter.json, schema)))
    return { structured: shorter.json, note: noteOf(shorter.cuts) }
  if (schema !== undefined) return { structured }
  return { note: "(the structured content is left out: it is more than is sent; ask for less, or for a part)" }
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

/** What a result takes as JSON, or a little less: its text is not written twice to learn that. */
function weigh({ content, structuredContent, _meta }: ToolResult): number {
  const texts = countText(content)
  const others = content.filter(({ type }) => type !== "text")
  const data = structuredContent !== undefined || _meta !== undefined || others.length > 0
  return texts + (data ? JSON.stringify({ others, structuredContent, _meta }).length : 0)
}
