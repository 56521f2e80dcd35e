import type { ToolDefinition } from "../catalogue/entry.js"
import { createListMap } from "../runtime/list-map.js"
import { type Page, takePage } from "./page.js"

/** Returns a list's page at a cursor. */
export type TakeToolPage = (list: readonly ToolDefinition[], cursor: unknown) => Page<ToolDefinition>

/**
 * Creates a function that cuts lists of tools into pages. A list's pages stay the same arrays, so that their serialised form
 * can be cached: clients list far more often than tools change.
 *
 * @param size - The page size.
 * @param isOwn - Whether a name is that of one of the adapter's own tools; lists begin with them.
 * @param declare - Returns a tool's listed definition; equal tools must give the same object.
 */
export function createToolPages(
  size: number,
  isOwn: (name: string) => boolean,
  declare: (tool: ToolDefinition) => ToolDefinition,
): TakeToolPage {
  // A `!` sorts before every character of names.
  const toKey = ({ name }: ToolDefinition): string => (isOwn(name) ? `!${name}` : name)
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

/** The maximum of cached pages per list. Clients may ask for a page from any tool on. */
const MOST = 100

const made = new WeakSet<object>()

/** Checks whether a value is a page's items created here, whose definitions never change. */
export function isToolPage(value: unknown): value is readonly ToolDefinition[] {
  return Array.isArray(value) && made.has(value)
}
