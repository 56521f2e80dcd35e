import type { Block, Failure, Success } from "@x/agentic-service"
import { publishOutput } from "@x/tool-schemas"
import { isBytes, toBase64, toJson } from "@x/tool-schemas/json"
import type { SettledCall } from "../calls/active-call.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { HandlerOptions } from "./handler-options.js"

/** The result of tools/call (2026-07-28, server/tools): pure JSON, with text that is never empty. */
export type ToolResult = {
  /** What the model reads. */
  readonly content: readonly Content[]
  /** The value in the shape of the published output schema; there whenever one is published and the call succeeded. */
  readonly structuredContent?: { readonly [key: string]: unknown }
  /** The action did not do what it was asked; absent otherwise. */
  readonly isError?: true
}

/** Says a settled call in MCP's words; whatever the value is, there is an answer. */
export function toToolResult({ outcome, entry }: SettledCall): ToolResult {
  return outcome.ok ? toSuccess(outcome, entry) : toError(outcome)
}

function toError({ message, code, recovery }: Failure): ToolResult {
  const what = message || "the action failed"
  const text = [code ? `${what} (${code})` : what, ...(recovery ? [recovery] : [])].join("\n")
  return { content: [toText(text)], isError: true }
}

function toSuccess(outcome: Success, entry: ToolEntry | undefined): ToolResult {
  const blocks = (outcome.content ?? []).map(toContent)
  if (entry?.output === undefined) return { content: withText(toTexts(outcome.value), blocks) }
  const structured = publishOutput(entry.output).toStructured(outcome.value)
  return { content: withText([toText(JSON.stringify(structured))], blocks), structuredContent: structured }
}

/** Hosts that show a model the text only must have something to show. */
function withText(texts: readonly Content[], blocks: readonly Content[]): readonly Content[] {
  const content = [...texts, ...blocks]
  return content.some((block) => block.type === "text" && block["text"] !== "") ? content : [toText("done"), ...content]
}

/** The value as the model reads it: a string as it is, anything else as JSON, nothing for nothing. */
function toTexts(value: unknown): readonly Content[] {
  if (value === undefined) return []
  return [toText(typeof value === "string" && value !== "" ? value : JSON.stringify(toJson(value)))]
}

/** A content block in MCP's words; plain JSON. */
type Content = { readonly type: string; readonly [key: string]: unknown }

/**
 * Maps a neutral block to MCP's content (2026-07-28, server/tools, tool result). What MCP would refuse, such as data
 * that is not base64, becomes a text that says so: one bad block must not cost the whole answer.
 */
export function toContent(block: Block): Content {
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

/** A text block. */
export function toText(text: string): Content {
  return { type: "text", text }
}

function toMedia(type: "image" | "audio", data: unknown, mimeType: string): Content {
  const base64 = encode(data)
  return base64 === undefined
    ? toText(`(${type} left out: its data is not base64)`)
    : { type, data: base64, mimeType: String(mimeType) }
}

function toLink({ uri, name, title, description, mimeType }: Extract<Block, { type: "resource_link" }>): Content {
  return {
    type: "resource_link",
    uri: String(uri),
    name: String(name),
    ...(title !== undefined && { title: String(title) }),
    ...(description !== undefined && { description: String(description) }),
    ...(mimeType !== undefined && { mimeType: String(mimeType) }),
  }
}

function toEmbedded({ uri, mimeType, text = "", blob }: Extract<Block, { type: "resource" }>): Content {
  const head = { uri: String(uri), ...(mimeType !== undefined && { mimeType: String(mimeType) }) }
  if (blob === undefined) return { type: "resource", resource: { ...head, text: String(text) } }
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

/** Sends an error that the model can act on instead of a result that is too large, and tells the operator. */
export function limitResult(
  tool: string,
  result: ToolResult,
  { maxResultChars: maxResultSize, host }: Pick<HandlerOptions, "maxResultChars" | "host">,
): ToolResult {
  const size = JSON.stringify(result).length
  if (size <= maxResultSize) return result
  const message = `the result of "${tool}" has ${size} characters, more than the ${maxResultSize} that are sent`
  host.report({ code: "result_too_large", message })
  return { content: [toText(`${message} (too_large)\nask for less, or for a part of it`)], isError: true }
}
