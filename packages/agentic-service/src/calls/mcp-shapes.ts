import { isBytes, isRecord } from "@x/tool-schemas/json"
import { type Block, type Failure, failure, type Meta, type Success } from "../outcome.js"

// Authors who know MCP return its own shapes. They mean what those say there, so they are read and not shown as JSON.

/**
 * Reads a value that an action returned as MCP's own result (`{ content, isError }`), content block or list of blocks. Returns
 * `undefined` for anything else, which is a value.
 *
 * @param own - Whether the action promises a value: then blocks alone are one, and so is a result without `structuredContent`.
 */
export function readMcpShape(value: unknown, own: boolean): Success | Failure | undefined {
  if (isEnvelope(value)) return readEnvelope(value, own)
  if (own) return undefined
  if (isBlock(value)) return { ok: true, content: [toNeutralBlock(value)] }
  const blocks = Array.isArray(value) && value.length > 0 && value.every(isBlock)
  return blocks ? { ok: true, content: value.map(toNeutralBlock) } : undefined
}

/**
 * Writes a content block as this package has it: MCP nests an embedded resource, and calls `meta` `_meta`. A text alone is a
 * text block. What is no block is handed on as it is, for whoever shows it to say so.
 */
export function toNeutralBlock(given: unknown): Block {
  if (typeof given === "string") return { type: "text", text: given }
  if (!isRecord(given)) return given as Block // what it is not: see above
  const { _meta, resource, ...rest } = given
  const nested = given["type"] === "resource" && isRecord(resource) ? resource : undefined
  if (_meta === undefined && nested === undefined) return given as unknown as Block // as far as it is one
  const { _meta: inner, ...contents } = nested ?? {}
  const meta = isRecord(_meta) ? _meta : isRecord(inner) ? inner : undefined
  return { ...rest, ...contents, ...(meta && { meta }) } as unknown as Block // whose members are looked at when it is shown
}

type Envelope = {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly _meta?: unknown
  readonly isError?: unknown
}

/** The members of MCP's result of a tool call (2026-07-28, server/tools); with another it is a value of the author's. */
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

/** Its texts are the message; what else there is stays beside it. */
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

/** Whether something in a list of content is meant as a block, whole or not. */
function looksLikeBlock(value: unknown): boolean {
  return isRecord(value) && TYPES.includes(value["type"])
}

/** Whether a value is a whole block and nothing more: data of the author's may have a `type` too. */
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
