import type { Block, Failure, Meta, Outcome, Success } from "@x/agentic-service"
import { isRecord, parseJson, toJson, toJsonText } from "@x/tool-schemas/json"
import type { SettledCall } from "../calls/active-call.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { toPlacedUri } from "../names/resource-uri.js"
import { type Content, onOwnLine, type TellFault, toContent, toText } from "./content-block.js"
import type { HandlerOptions } from "./handler-options.js"

export { type Content, onOwnLine, toContent, toText }

/** The result of tools/call (2026-07-28, server/tools): pure JSON, with text that is never empty. */
export type ToolResult = {
  /** What the model reads. */
  readonly content: readonly Content[]
  /** The value in the shape of the published output schema; there whenever one is published and the call succeeded. */
  readonly structuredContent?: { readonly [key: string]: unknown }
  /** The action did not do what it was asked; absent otherwise. */
  readonly isError?: true
  /** What the author says to programs; hosts do not show it to a model. */
  readonly _meta?: { readonly [key: string]: unknown }
}

/** Says a settled call in MCP's words; whatever the value is, there is an answer. Reports each block that cannot be shown. */
export function toToolResult(
  { outcome, entry }: SettledCall,
  { serverName, host }: Pick<HandlerOptions, "serverName" | "host">,
): ToolResult {
  const placed = placeResources(outcome, entry, serverName)
  const tell: TellFault = (fault) =>
    host.report({ code: "result_invalid", message: `in the result of "${entry?.name}": ${fault}` })
  return placed.ok ? toSuccess(placed, entry, tell) : toError(placed, tell)
}

/** Gives what a server elsewhere names in a result the URIs by which that can be read here. */
function placeResources(outcome: Outcome, entry: ToolEntry | undefined, serverName: string): Outcome {
  const { content, verbatim } = outcome
  if (!verbatim || content === undefined || entry === undefined || entry.path.length === 0) return outcome
  const place = <Part extends Block>(block: Part): Part =>
    "uri" in block ? { ...block, uri: toPlacedUri(serverName, entry.path, block.uri) } : block
  return { ...outcome, content: content.map(place) }
}

/**
 * A failure, as a model reads it: what happened and what to do first, then what it carries. What it carries as data is a text
 * too, and structured whatever the published output schema says: that binds successes only (2026-07-28, server/tools).
 */
function toError(failure: Failure, tell: TellFault): ToolResult {
  const { message, code, recovery, structured, verbatim, meta } = failure
  const what = isBlank(message) ? "the action failed" : message
  // The usual code says no more than the failure itself; of a foreign action its own words are all that is shown.
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

/** A word of the author's, whose code may have no types. */
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
  const texts = [toText(JSON.stringify(structured))]
  return { content: withText(texts, blocks), structuredContent: structured, ...toMeta(meta) }
}

/** Data that nobody checks; in the shape that is published where it fits there, and as it came where none is. */
function toStructured(value: unknown, entry: ToolEntry | undefined): Pick<ToolResult, "structuredContent"> {
  if (value === undefined) return {}
  if (entry?.output !== undefined) return { structuredContent: entry.output.toStructured(value) }
  const data = toJson(value)
  return { structuredContent: isRecord(data) ? data : { result: data } }
}

/** What the author says to programs, without what is MCP's own to say (2026-07-28, basic#meta, key name format). */
function toMeta(meta: Meta | undefined): Pick<ToolResult, "_meta"> {
  if (meta === undefined) return {}
  const said = Object.entries(Object(toJson(meta))).filter(([key]) => !RESERVED.test(key))
  return said.length === 0 ? {} : { _meta: Object.fromEntries(said) }
}

/** A prefix whose second label is MCP's. */
const RESERVED = /^[^./]+\.(mcp|modelcontextprotocol)[./]/i

/** Hosts that show a model the text only must have something to show. */
function withText(texts: readonly Content[], blocks: readonly Content[]): readonly Content[] {
  // A text of spaces is no word, and there are vendors that refuse a conversation for one, for good.
  const content = [...texts, ...blocks].filter((block) => block.type !== "text" || !isBlank(block["text"]))
  return content.some((block) => block.type === "text") ? content : [toText("done"), ...content]
}

function isBlank(text: unknown): boolean {
  return String(text).trim() === ""
}

/**
 * The value as the model reads it: a string as it is, anything else as JSON, nothing for nothing. Always an object, as typed
 * results are: there are hosts that take a text that is a bare list or number for a broken answer, and run the action again. So is
 * a string that reads like one.
 */
function toTexts(value: unknown): readonly Content[] {
  if (value === undefined) return []
  if (typeof value === "string" && !isBlank(value) && !isBareJson(value)) return [toText(value)]
  const json = toJson(value)
  return [toText(isRecord(json) ? toJsonText(json) : JSON.stringify({ result: json }))]
}

/** Whether a text reads as JSON that is no object. What is longer is cut before anybody reads it. */
function isBareJson(text: string): boolean {
  if (text.length > 1_000_000 || !/^\s*["[\dtfn-]/.test(text)) return false
  const json = parseJson(text)
  return json !== undefined && !isRecord(json)
}
