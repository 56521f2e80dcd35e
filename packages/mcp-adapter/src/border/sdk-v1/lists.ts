import { compareText } from "@x/tool-schemas/json"
import type { OwnMethod } from "../../handlers/methods.js"
import { takePage } from "../../handlers/page.js"
import type { Report } from "../../runtime/diagnostic.js"
import type { Extra, SdkHandler } from "./sdk-server.js"

/** Two handlers of one list, to be one. */
interface MergeOptions {
  /** Which list it is. */
  readonly kind: ListKind
  /** Lists what is ours. */
  readonly ours: SdkHandler
  /** Lists what the server had before. */
  readonly theirs: SdkHandler
  /** The most items on a page. */
  readonly pageSize: number
  /** Told of every name that both have, once. */
  readonly report: Report
}

/** Two lists as one. */
export interface MergedList {
  /** Answers the list. */
  readonly list: SdkHandler
  /** Whether a name or URI means theirs: by the newest list that was answered, since that is what the client has seen. */
  isTheirs(id: string, extra: Extra): Promise<boolean>
}

/**
 * Makes one list of ours and theirs, sorted, in pages of ours. A name that both have is theirs: it was there before, and
 * their clients may rely on it.
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
      message: `"${id}" of ${kind.method} is left out: the server has its own of that name`,
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

/** One list of MCP: how it is asked for, and what tells its items apart. */
export interface ListKind {
  /** The method. */
  readonly method: OwnMethod
  /** Where a result has its items. */
  readonly field: string
  /** What an item is known by. */
  readonly key: string
}

/** An item of a list, by what it is known by. */
interface Item {
  /** Its name or URI. */
  readonly id: string
  /** The item as it is listed. */
  readonly definition: unknown
}

/** Every item that a handler lists, whatever its pages are. */
async function listAll(handler: SdkHandler, kind: ListKind, extra: Extra): Promise<readonly Item[]> {
  const items: Item[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  // A cursor that comes again would never end.
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
