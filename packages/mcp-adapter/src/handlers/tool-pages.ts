import type { ToolDefinition } from "../catalogue/entry.js"
import { createListMap } from "../runtime/list-map.js"
import { type Page, takePage } from "./page.js"

/** Gives the page of a list that a cursor asks for. */
export type TakeToolPage = (list: readonly ToolDefinition[], cursor: unknown) => Page<ToolDefinition>

/**
 * Cuts lists of tools into pages, each of which is the same array as long as its list is: clients list far more often than
 * something changes, and what is written of a page can be kept with it.
 *
 * @param size - The most tools on a page.
 * @param ownNames - The names of the adapter's own tools, which no action has; lists begin with them.
 * @param declare - What is listed of a tool; the same of the same.
 */
export function createToolPages(
  size: number,
  ownNames: readonly string[],
  declare: (tool: ToolDefinition) => ToolDefinition,
): TakeToolPage {
  const own = new Set(ownNames)
  // A `!` comes before all that names are made of.
  const toKey = ({ name }: ToolDefinition): string => (own.has(name) ? `!${name}` : name)
  const lists = new WeakMap<readonly ToolDefinition[], Pages>()
  const declareAll = createListMap(declare)
  const pagesOf = (list: readonly ToolDefinition[]): Pages => {
    const known = lists.get(list)
    if (known !== undefined) return known
    const pages = { tools: declareAll(list), byCursor: new Map() }
    lists.set(list, pages)
    return pages
  }
  return (list, cursor) => {
    const { tools, byCursor } = pagesOf(list)
    const key = cursor ?? ""
    const known = byCursor.get(key)
    if (known !== undefined) return known
    const page = takePage(tools, { keyOf: toKey, cursor, size })
    if (byCursor.size < MOST) byCursor.set(key, page)
    made.add(page.items)
    return page
  }
}

interface Pages {
  readonly tools: readonly ToolDefinition[]
  readonly byCursor: Map<unknown, Page<ToolDefinition>>
}

/** A client can ask for a page from any tool on; of so many the pages are kept. */
const MOST = 100

const made = new WeakSet<object>()

/** Whether a value is the items of a page that was made here, of definitions that never change. */
export function isToolPage(value: unknown): value is readonly ToolDefinition[] {
  return Array.isArray(value) && made.has(value)
}
