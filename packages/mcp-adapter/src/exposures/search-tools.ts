import MiniSearch from "minisearch"
import type { ToolEntry } from "../catalogue/entry.js"

/** Finds those of `tools` that a few words fit, best first; on equal terms in the order of the list. */
export type SearchTools = (tools: readonly ToolEntry[], query: string) => readonly ToolEntry[]

/** Keeps the index of a list for as long as the list itself is kept, so that only its first search pays for it. */
export function createToolSearch(): SearchTools {
  const indexes = new WeakMap<readonly ToolEntry[], MiniSearch<Indexed>>()
  return (tools, query) => {
    const index = indexes.get(tools) ?? createIndex(tools)
    indexes.set(tools, index)
    return index
      .search(query)
      .sort((one, other) => other.score - one.score || Number(one.id) - Number(other.id))
      .flatMap(({ id }) => tools[Number(id)] ?? [])
  }
}

/** A tool as it is searched; its id is its position in the list. */
interface Indexed {
  readonly id: number
  readonly words: string
  readonly title: string
  readonly description: string
}

function createIndex(tools: readonly ToolEntry[]): MiniSearch<Indexed> {
  const index = new MiniSearch<Indexed>({
    fields: ["words", "title", "description"],
    tokenize: toWords,
    searchOptions: {
      boost: { words: 3, title: 2 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
    },
  })
  index.addAll(
    tools.map(({ path, key, definition: { title = "", description } }, id) => {
      return { id, words: [...path, key].join(" "), title, description }
    }),
  )
  return index
}

/** Keys are often several words in one: `addCard`, `add_card`, `add-card`. */
function toWords(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .split(/[\s\p{P}\p{S}]+/u)
    .filter((word) => word !== "")
}
