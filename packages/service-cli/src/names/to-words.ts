import type { ToolEntry } from "@x/mcp-adapter"
import { wordOf } from "./find-action.js"

/** Actions, each with the words it can be named with. */
export type Words = readonly {
  readonly entry: ToolEntry
  /** The path and key, where they make a word that is no other action's name, and the tool name, where it is another. */
  readonly names: readonly string[]
}[]

/** The words that actions can be named with. */
export function toWords(tools: readonly ToolEntry[]): Words {
  const taken = new Set(tools.map(({ name }) => name))
  return tools.map((entry) => {
    const word = wordOf(entry)
    if (taken.has(word) || word.startsWith("-")) return { entry, names: [entry.name] }
    taken.add(word)
    return { entry, names: [word, entry.name] }
  })
}
