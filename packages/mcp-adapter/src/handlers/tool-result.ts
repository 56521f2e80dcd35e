import type { Block, Failure, Meta, Outcome, Success } from "@x/agentic-service"
import { isBytes, isRecord, parseJson, toBase64, toJson, toJsonText, toWellFormed } from "@x/tool-schemas/json"
import type { SettledCall } from "../calls/active-call.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { toPlacedUri } from "../names/resource-uri.js"

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

/** Says a settled call in MCP's words; whatever the value is, there is an answer. */
export function toToolResult({ outcome, entry }: SettledCall, serverName: string): ToolResult {
  const placed = placeResources(outcome, entry, serverName)
  return placed.ok ? toSuccess(placed, entry) : toError(placed)
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
function toError({ message, code, recovery, content = [], structured, verbatim, meta }: Failure): ToolResult {
  const what = isBlank(message) ? "the action failed" : message
  // The usual code says no more than the failure itself; of a foreign action its own words are all that is shown.
  const said = code && code !== "action_failed" ? `${what} (${code})` : what
  const text = [said, ...(recovery ? [recovery] : [])].join("\n")
  const texts = verbatim ? [] : [toText(text), ...(structured === undefined ? [] : toTexts(structured).map(onOwnLine))]
  const data = structured === undefined ? undefined : toJson(structured)
  return {
    content: [...texts, ...content.map(toContent)],
    ...(data !== undefined && { structuredContent: isRecord(data) ? data : { result: data } }),
    isError: true,
    ...toMeta(meta),
  }
}

function toSuccess({ value, content = [], verbatim, meta }: Success, entry: ToolEntry | undefined): ToolResult {
  const blocks = content.map(toContent)
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

/** A content block in MCP's words; plain JSON. */
export type Content = { readonly type: string; readonly [key: string]: unknown }

/**
 * Maps a neutral block to MCP's content (2026-07-28, server/tools, tool result). What MCP would refuse, such as data
 * that is not base64, becomes a text that says so: one bad block must not cost the whole answer.
 */
export function toContent(block: Block): Content {
  const { annotations, meta } = block
  const content = { ...toPlainContent(block), ...(annotations !== undefined && { annotations: toJson(annotations) }) }
  if (meta === undefined) return content
  const _meta = toJson(meta)
  // What is said of a resource stands in it.
  return block.type === "resource" && "resource" in content
    ? { ...content, resource: { ...Object(content.resource), _meta } }
    : { ...content, _meta }
}

function toPlainContent(block: Block): Content {
  switch (block.type) {
    case "text":
      return toText(String(block.text))
    case "image":
    case "audio":
      return toMedia(block.type, block.data, block.mimeType)
    case "resource_link":
      return toLink(block)
    case "resource":
      return toEmbedded(block)
    default:
      return toText(JSON.stringify(toJson(block)))
  }
}

/** A text block, of whole characters: a vendor refuses a conversation for half of one, for good. */
export function toText(text: string): Content {
  return { type: "text", text: toWellFormed(text) }
}

/** A text after others: there are hosts that put blocks together with nothing between them. */
export function onOwnLine<Block extends Content>(block: Block): Content {
  return { ...block, text: `\n${block["text"]}` }
}

function toMedia(type: "image" | "audio", data: unknown, mimeType: string): Content {
  const base64 = encode(data)
  return base64 === undefined
    ? toText(`(${type} left out: its data is not base64)`)
    : { type, data: base64, mimeType: String(mimeType) }
}

function toLink({ uri, name, title, description, mimeType, size }: Extract<Block, { type: "resource_link" }>): Content {
  return {
    type: "resource_link",
    uri: toWellFormed(String(uri)),
    name: toWellFormed(String(name)),
    ...(title !== undefined && { title: toWellFormed(String(title)) }),
    ...(description !== undefined && { description: toWellFormed(String(description)) }),
    ...(mimeType !== undefined && { mimeType: String(mimeType) }),
    ...(size !== undefined && { size: Number(size) }),
  }
}

function toEmbedded({ uri, mimeType, text = "", blob }: Extract<Block, { type: "resource" }>): Content {
  const head = { uri: toWellFormed(String(uri)), ...(mimeType !== undefined && { mimeType: String(mimeType) }) }
  if (blob === undefined) return { type: "resource", resource: { ...head, text: toWellFormed(String(text)) } }
  const base64 = encode(blob)
  if (base64 === undefined) return toText(`(resource ${head.uri} left out: its data is not base64)`)
  return { type: "resource", resource: { ...head, blob: base64 } }
}

/** Base64 of bytes, or of what is base64 already. */
function encode(data: unknown): string | undefined {
  if (isBytes(data)) return toBase64(data)
  return typeof data === "string" && isBase64(data) ? data : undefined
}

/** By `atob`, as the SDKs check it. */
function isBase64(text: string): boolean {
  try {
    atob(text)
    return true
  } catch {
    return false
  }
}
