import type { Block } from "@x/agentic-service"
import { isBytes, toBase64, toJson } from "@x/tool-schemas/json"

/** A content block in MCP's words; plain JSON. */
export type Content = { readonly type: string; readonly [key: string]: unknown }

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
