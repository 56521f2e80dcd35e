import type { Block } from "@x/agentic-service"
import type { Gathered } from "./gather-answer.js"
import type { MediaPiece, SourcePiece } from "./piece.js"

/** What comes beside an answer's text, as blocks. */
export function toBlocks(extras: Gathered["extras"]): readonly Block[] {
  return extras.map((extra, index) => (extra.type === "source" ? toSourceBlock(extra) : toMediaBlock(extra, index + 1)))
}

function toSourceBlock({ uri, title, text, mimeType }: SourcePiece): Block {
  if (uri === undefined) return { type: "text", text: [title, text].filter(Boolean).join(": ") }
  return {
    type: "resource_link",
    uri,
    name: title ?? uri,
    ...(text !== undefined && { description: text }),
    ...(mimeType !== undefined && { mimeType }),
  }
}

function toMediaBlock({ mimeType, data }: MediaPiece, number: number): Block {
  if (mimeType.startsWith("image/")) return { type: "image", mimeType, data }
  if (mimeType.startsWith("audio/")) return { type: "audio", mimeType, data }
  return { type: "resource", uri: `answer:media/${number}`, mimeType, blob: data }
}
