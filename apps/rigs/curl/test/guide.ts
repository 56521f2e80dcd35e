import { readFileSync } from "node:fs"

/** A fenced block of the guide. */
export interface Block {
  /** The language after the fence: `ts`, `shell`, `json` or `text`. */
  readonly kind: string
  /** The content. */
  readonly text: string
}

/** The guide's blocks, in order. */
export const blocks: readonly Block[] = [
  ...read("../../../../docs/guides/curl.md").matchAll(/```(\w+)\n(.*?)```/gs),
].map(([, kind = "", text = ""]) => ({ kind, text }))

/** Reads a file. Paths are relative to this module. */
export function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8")
}
