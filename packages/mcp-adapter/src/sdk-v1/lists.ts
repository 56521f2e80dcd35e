import { compareText } from "@x/base"
import type { Report } from "../border/binding.js"
import { takePage } from "../handlers/page.js"
import type { Extra, SdkHandler } from "./sdk-server.js"

/** Options of a merged list. */
interface MergeOptions {
  /** The kind of list. */
  readonly kind: ListKind
  /** Lists our items. */
  readonly ours: SdkHandler
  /** Lists the server's own items. */
  readonly theirs: SdkHandler
  /** The most items on a page. */
  readonly pageSize: number
  /** Takes a report of each name that exists on both sides, once. */
  readonly report: Report
}

/** A merged list. */
export interface MergedList {
  /** Answers the list request. */
  readonly list: SdkHandler
  /** Whether a name or URI is the server's own, according to the latest list, which the client has seen. */
  isTheirs(id: string, extra: Extra): Promise<boolean>
}

/**
 * Merges our items and the server's into one sorted, paged list. A name that exists on both sides is the server's: its clients
 * may already rely on it.
 */
export function mergeLists({ kind, ours, theirs, pageSize, report }: MergeOptions): MergedList {
  const clashes = new Set<string>()
  let taken: ReadonlySet<string> | undefined
  const listTheirs = async (extra: Extra): Promise<readonly Item[]> => {
    const items = await listAll(theirs, kind, extra)
    taken = new Set(items.map(({ id }) => id))
    return items
  }
  const reportClash = ({ id }: Item): void => {
    if (clashes.has(id)) return
    clashes.add(id)
    report({
      code: "name_clash",
      message: `"${id}" of ${kind.method} is left out: the server has its own item of that name`,
    })
  }
  return {
    async list({ params = {} }, extra) {
      const before = await listTheirs(extra)
      const isFree = ({ id }: Item): boolean => taken?.has(id) !== true
      const added = await listAll(ours, kind, extra)
      added.filter((item) => !isFree(item)).forEach(reportClash)
      const all = [...before, ...added.filter(isFree)].sort(byId)
      const { items, ...next } = takePage(all, { keyOf: ({ id }) => id, cursor: params["cursor"], size: pageSize })
      return { [kind.field]: items.map(({ definition }) => definition), ...next }
    },
    async isTheirs(id, extra) {
      if (taken === undefined) await listTheirs(extra)
      return taken?.has(id) === true
    },
  }
}

function byId({ id: one }: Item, { id: other }: Item): number {
  return compareText(one, other)
}

/** Describes one of MCP's lists: method, result field, item key. */
export interface ListKind {
  /** The method. */
  readonly method: string
  /** The result's field for the items. */
  readonly field: string
  /** The items' key field. */
  readonly key: string
}

/** A list item and its key. */
interface Item {
  /** The item's name or URI. */
  readonly id: string
  /** The listed item. */
  readonly definition: unknown
}

/** Returns all items of a handler, over all pages. */
async function listAll(handler: SdkHandler, kind: ListKind, extra: Extra): Promise<readonly Item[]> {
  const items: Item[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  // A repeated cursor would never end.
  while (!seen.has(cursor)) {
    seen.add(cursor)
    const params = cursor === undefined ? {} : { cursor }
    const result = await handler({ method: kind.method, params }, extra)
    items.push(...toItems(result[kind.field], kind.key))
    cursor = result["nextCursor"]
  }
  return items
}

function toItems(definitions: unknown, key: string): readonly Item[] {
  if (!Array.isArray(definitions)) return []
  return definitions.map((definition: Readonly<Record<string, unknown>>) => ({
    id: String(definition[key]),
    definition,
  }))
}
