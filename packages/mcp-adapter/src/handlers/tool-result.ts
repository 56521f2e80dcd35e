import type { Block, Failure, Meta, Outcome, Success } from "@x/agentic-service"
import { isRecord, parseJson, toJson, toJsonText } from "@x/base"
import type { SettledCall } from "../calls/active-call.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { toPlacedUri } from "../names/resource-uri.js"
import { type Content, onOwnLine, type TellFault, toContent, toText } from "./content-block.js"
import type { HandlerOptions } from "./handler-options.js"

export { type Content, onOwnLine, toContent, toText }

/** The result of tools/call (2026-07-28, server/tools): pure JSON, whose text is never empty. */
export type ToolResult = {
  /** Content for the model. */
  readonly content: readonly Content[]
  /** The value, in the shape of the published output schema. Present when one is published and the call succeeded. */
  readonly structuredContent?: { readonly [key: string]: unknown }
  /** Whether the action failed; absent otherwise. */
  readonly isError?: true
  /** The author's metadata for programs; hosts hide it from models. */
  readonly _meta?: { readonly [key: string]: unknown }
}

/** Converts a settled call of any value to MCP's result. Reports each block that cannot be shown. */
export function toToolResult(
  { outcome, entry }: SettledCall,
  { serverName, host }: Pick<HandlerOptions, "serverName" | "host">,
): ToolResult {
  const placed = placeResources(outcome, entry, serverName)
  const tell: TellFault = (fault) =>
    host.report({ code: "result_invalid", message: `in the result of "${entry?.name}": ${fault}` })
  return placed.ok ? toSuccess(placed, entry, tell) : toError(placed, tell)
}

/** Rewrites URIs in a remote server's result to local URIs. */
function placeResources(outcome: Outcome, entry: ToolEntry | undefined, serverName: string): Outcome {
  const { content, verbatim } = outcome
  if (!verbatim || content === undefined || entry === undefined || entry.path.length === 0) return outcome
  const place = <Part extends Block>(block: Part): Part =>
    "uri" in block ? { ...block, uri: toPlacedUri(serverName, entry.path, block.uri) } : block
  return { ...outcome, content: content.map(place) }
}

/**
 * Converts a failure: what happened, what to do next, then its content. Its data becomes text and structured content,
 * regardless of the output schema, which binds successes only (2026-07-28, server/tools).
 */
function toError(failure: Failure, tell: TellFault): ToolResult {
  const { message, code, recovery, structured, verbatim, meta } = failure
  const what = isBlank(message) ? "the action failed" : message
  // The usual code adds nothing to a message. For foreign actions, their own words are all there is.
  const said = isWord(code) && code !== "action_failed" ? `${what} (${code})` : what
  const text = [said, ...(isWord(recovery) ? [recovery] : [])].join("\n")
  const texts = verbatim ? [] : [toText(text), ...(structured === undefined ? [] : toTexts(structured).map(onOwnLine))]
  const data = structured === undefined ? undefined : toJson(structured)
  return {
    content: [...texts, ...toBlocks(failure, tell)],
    ...(data !== undefined && { structuredContent: isRecord(data) ? data : { result: data } }),
    isError: true,
    ...toMeta(meta),
  }
}

/** Checks for a non-empty string, since authors' code may be untyped. */
function isWord(word: unknown): word is string {
  return typeof word === "string" && word !== ""
}

function toBlocks({ content = [], verbatim }: Success | Failure, tell: TellFault): readonly Content[] {
  return content.map((block) => toContent(block, { tell, verbatim: verbatim === true }))
}

function toSuccess(success: Success, entry: ToolEntry | undefined, tell: TellFault): ToolResult {
  const { value, verbatim, meta } = success
  const blocks = toBlocks(success, tell)
  if (verbatim) return { content: blocks, ...toStructured(value, entry), ...toMeta(meta) }
  if (entry?.output === undefined) return { content: withText(toTexts(value), blocks), ...toMeta(meta) }
  const structured = entry.output.toStructured(value)
  // Written by `JSON.stringify`, it has well-formed characters.
  const texts = [{ type: "text", text: JSON.stringify(structured) }]
  return { content: withText(texts, blocks), structuredContent: structured, ...toMeta(meta) }
}

/** Converts unchecked data. It takes the published shape if possible, and stays as received without a schema. */
function toStructured(value: unknown, entry: ToolEntry | undefined): Pick<ToolResult, "structuredContent"> {
  if (value === undefined) return {}
  if (entry?.output !== undefined) return { structuredContent: entry.output.toStructured(value) }
  const data = toJson(value)
  return { structuredContent: isRecord(data) ? data : { result: data } }
}

/** Returns the author's metadata without keys that MCP reserves (2026-07-28, basic#meta, key name format). */
function toMeta(meta: Meta | undefined): Pick<ToolResult, "_meta"> {
  if (meta === undefined) return {}
  const said = Object.entries(Object(toJson(meta))).filter(([key]) => !RESERVED.test(key))
  return said.length === 0 ? {} : { _meta: Object.fromEntries(said) }
}

/** A prefix whose second label is MCP's. */
const RESERVED = /^[^./]+\.(mcp|modelcontextprotocol)[./]/i

/** Ensures that a result has text, for hosts that show models only text. */
function withText(texts: readonly Content[], blocks: readonly Content[]): readonly Content[] {
  // Blank texts are dropped, because some vendors refuse a conversation forever after one.
  const content = [...texts, ...blocks].filter((block) => block.type !== "text" || !isBlank(block["text"]))
  return content.some((block) => block.type === "text") ? content : [toText("done"), ...content]
}

function isBlank(text: unknown): boolean {
  return String(text).trim() === ""
}

/**
 * Converts a value to text: strings unchanged, other values as JSON, and `undefined` to none. JSON is always an object, like
 * structured results: some hosts take a bare list or number for a broken answer and run the action again. The same holds for
 * strings that look like one.
 */
function toTexts(value: unknown): readonly Content[] {
  if (value === undefined) return []
  if (typeof value === "string" && !isBlank(value) && !isBareJson(value)) return [toText(value)]
  const json = toJson(value)
  return [toText(isRecord(json) ? toJsonText(json) : JSON.stringify({ result: json }))]
}

/** Checks whether a text is JSON other than an object. Longer texts are cut before anybody reads them. */
function isBareJson(text: string): boolean {
  if (text.length > 1_000_000 || !/^\s*["[\dtfn-]/.test(text)) return false
  const json = parseJson(text)
  return json !== undefined && !isRecord(json)
}
