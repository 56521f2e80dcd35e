import { readFileSync } from "node:fs"

/** A fenced block of the guide. */
export interface Block {
  /** What follows the fence: `ts`, `shell`, `json` or `text`. */
  readonly kind: string
  /** What is in it. */
  readonly text: string
}

/** The guide's blocks, in order. */
export const blocks: readonly Block[] = [
  ...read("../../../../docs/guides/curl.md").matchAll(/```(\w+)\n(.*?)```/gs),
].map(([, kind = "", text = ""]) => ({ kind, text }))

/** A file beside this one. */
export function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8")
}
