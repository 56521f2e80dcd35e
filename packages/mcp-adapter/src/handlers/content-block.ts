import type { Block } from "@x/agentic-service"
import { toNeutralBlock } from "@x/agentic-service/adapter"
import { isRecord, showShort, toJson, toJsonText, toWellFormed } from "@x/base"
import { isTextType, readData, toMediaType } from "./media.js"

/** A content block in MCP's shape; plain JSON. */
export type Content = { readonly type: string; readonly [key: string]: unknown }

/** Reports a block's fault to the operator. */
export type TellFault = (fault: string) => void

/** Options of converting a block. */
interface Showing {
  /** Called when a block cannot be shown, or not as its author meant. */
  readonly tell: TellFault
  /** Whether the block comes from another server and keeps its media type. */
  readonly verbatim: boolean
}

/**
 * Converts any block to MCP's content (2026-07-28, server/tools, tool result). Content that MCP or hosts would refuse, such as
 * data that is not base64, becomes a text that says so: one bad block must not lose the whole answer, nor the conversation
 * after it.
 */
export function toContent(given: Block, { tell = () => {}, verbatim = false }: Partial<Showing> = {}): Content {
  try {
    return toShown(toNeutralBlock(given), { tell, verbatim })
  } catch {
    // A getter or proxy may throw.
    return leftOut("block", "it cannot be read", tell)
  }
}

function toShown(block: unknown, showing: Showing): Content {
  if (!isRecord(block)) return leftOut("block", `it is ${showShort(block)}`, showing.tell)
  const { annotations, meta } = block
  const notes = annotations === undefined ? {} : toAnnotations(annotations, showing)
  const content = { ...toPlainContent(block, showing), ...notes }
  const _meta = meta === undefined ? undefined : toJson(meta)
  if (!isRecord(_meta)) return content
  // A resource's metadata belongs inside it.
  return block["type"] === "resource" && "resource" in content
    ? { ...content, resource: { ...Object(content.resource), _meta } }
    : { ...content, _meta }
}

type Given = Readonly<Record<string, unknown>>

function toPlainContent(block: Given, showing: Showing): Content {
  switch (block["type"]) {
    case "text":
      return toTextBlock(block, showing)
    case "image":
    case "audio":
      return toMedia(block["type"], block, showing)
    case "resource_link":
      return toLink(block, showing)
    case "resource":
      return toEmbedded(block, showing)
    default:
      showing.tell(`a block has the type ${showShort(block["type"])}, unknown to MCP: it is shown as JSON`)
      return toText(JSON.stringify(toJson(block)))
  }
}

/** Creates a text block of well-formed characters: one vendor refuses a conversation forever after half a character. */
export function toText(text: string): Content {
  return { type: "text", text: toWellFormed(text) }
}

/** Puts a line break before a text, because some hosts join blocks without one. */
export function onOwnLine<Block extends Content>(block: Block): Content {
  return { ...block, text: `\n${block["text"]}` }
}

/** Replaces an unusable block by a text, and reports the same to the operator. */
function leftOut(what: string, why: string, tell: TellFault): Content {
  tell(`${what} left out: ${why}`)
  return toText(`(${what} left out: ${why})`)
}

function toTextBlock({ text }: Given, { tell }: Showing): Content {
  const words = toWords(text)
  return words === undefined ? leftOut("text", "it is missing", tell) : toText(words)
}

function toMedia(type: "image" | "audio", { data, mimeType }: Given, { tell, verbatim }: Showing): Content {
  if (verbatim && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType }
  const read = readData(data, mimeType)
  if ("fault" in read) return leftOut(type, `its data ${read.fault}`, tell)
  const media = toMediaType(type, read)
  if (media.shown) return { type, data: read.base64, mimeType: media.mimeType }
  const { mimeType: named } = media
  const uri = `attachment://${type}/${read.id()}`
  tell(
    `${type} of ${named === undefined ? "no media type" : `"${named}"`} is sent as a resource: hosts show ${media.hosts}`,
  )
  const head = { uri, ...(named !== undefined && { mimeType: named }) }
  const text = named !== undefined && isTextType(named) ? read.text() : undefined
  return { type: "resource", resource: text === undefined ? { ...head, blob: read.base64 } : { ...head, text } }
}

/** Returns a URI, or a URL object's, as text. Returns `undefined` for anything else. */
function toUri(uri: unknown): string | undefined {
  const text = uri instanceof URL ? uri.href : uri
  return typeof text === "string" && text !== "" ? toWellFormed(text) : undefined
}

function toLink(block: Given, { tell }: Showing): Content {
  const uri = toUri(block["uri"])
  if (uri === undefined) return leftOut("link", 'it has no "uri"', tell)
  const { name, title, description, mimeType, size, icons } = block
  return {
    type: "resource_link",
    uri,
    name: typeof name === "string" ? toWellFormed(name) : uri,
    ...(typeof title === "string" && { title: toWellFormed(title) }),
    ...(typeof description === "string" && { description: toWellFormed(description) }),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof size === "number" && Number.isFinite(size) && { size }),
    ...(Array.isArray(icons) && { icons: toJson(icons) }),
  }
}

function toEmbedded(block: Given, { tell }: Showing): Content {
  const { mimeType, text, blob } = block
  const uri = toUri(block["uri"])
  const words = toWords(text)
  if (uri === undefined) return toUnnamed(words, tell)
  const head = { uri, ...(typeof mimeType === "string" && { mimeType }) }
  if (blob !== undefined) return toEmbeddedBytes(head, block, tell)
  if (words !== undefined) return { type: "resource", resource: { ...head, text: toWellFormed(words) } }
  return leftOut(`resource ${uri}`, "it has neither a text nor a blob", tell)
}

/** Returns a text, or any other value as JSON. */
function toWords(text: unknown): string | undefined {
  if (text === undefined || text === null) return undefined
  return typeof text === "string" ? text : toJsonText(toJson(text))
}

/** Converts a resource without a URI, which nobody can reference. */
function toUnnamed(words: string | undefined, tell: TellFault): Content {
  if (words === undefined) return leftOut("resource", 'it has no "uri"', tell)
  tell('resource without a "uri": its text is shown alone')
  return toText(words)
}

function toEmbeddedBytes(head: { readonly uri: string }, { blob, mimeType }: Given, tell: TellFault): Content {
  const read = readData(blob, mimeType)
  if ("fault" in read && read.fault !== EMPTY) return leftOut(`resource ${head.uri}`, `its data ${read.fault}`, tell)
  return { type: "resource", resource: { ...head, blob: "fault" in read ? "" : read.base64 } }
}

/** Empty files are valid; empty images are not. */
const EMPTY = "is empty"

/** Keeps the annotations that MCP defines; clients reject a whole result for invalid ones. */
function toAnnotations(given: unknown, { tell, verbatim }: Showing): { readonly annotations?: unknown } {
  const json = toJson(given)
  if (verbatim) return { annotations: json }
  const { audience, priority, lastModified, ...rest } = isRecord(json) ? json : { ...NO_ANNOTATIONS }
  const roles = Array.isArray(audience) && audience.every((role) => role === "user" || role === "assistant")
  const part = typeof priority === "number" && priority >= 0 && priority <= 1
  const annotations = {
    ...rest,
    ...(roles && { audience }),
    ...(part && { priority }),
    ...(typeof lastModified === "string" && { lastModified }),
  }
  const dropped = Object.keys(Object(json)).filter((key) => !Object.hasOwn(annotations, key))
  if (dropped.length > 0 || !isRecord(json))
    tell(`annotations of a block left out: ${dropped.join(", ") || showShort(given)} does not match MCP's schema`)
  return Object.keys(annotations).length === 0 && dropped.length > 0 ? {} : { annotations }
}

const NO_ANNOTATIONS: Given = {}
