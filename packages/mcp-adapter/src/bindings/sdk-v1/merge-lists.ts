import { takePage } from "../../handlers/cursor.js"
import type { Report } from "../../runtime/diagnostic.js"
import { type Item, type ListKind, listAll } from "./list-all.js"
import type { Extra, SdkHandler } from "./sdk-handler.js"

/** Two handlers of one list, to be one. */
export interface MergeOptions {
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
  return one < other ? -1 : one > other ? 1 : 0
}
