import { mergeMap, type Observable, share } from "rxjs"
import type { Notice, View } from "../views/view.js"
import type { BuiltIn } from "./built-in.js"
import type { Exposure, ExposureNotice, ItemTools } from "./exposure.js"
import { toItemCall } from "./item-calls.js"
import { createItemLists, type ItemLists, isSameTools, type ListedTool } from "./item-lists.js"
import { withBuiltIns } from "./with-built-ins.js"

/**
 * Creates the exposure that lists the actions callable now, where one tool stands for the same action of several items of a
 * collection. Its list stays the same while the items' actions come and go, and with many items also while items do.
 *
 * @param links - Whether `list_links` exists.
 */
export function createGroupedExposure(builtIns: readonly BuiltIn[], links: boolean): Exposure {
  const reserved = builtIns.map(({ definition }) => definition.name)
  const made = new WeakMap<View, Shown>()
  const shownOf = (view: View): Shown => {
    const shown = made.get(view) ?? createShown(view, createItemLists(view, { reserved, links }))
    made.set(view, shown)
    return shown
  }
  return {
    ...withBuiltIns(builtIns, {
      tools(view) {
        view.snapshot()
        view.known()
        view.links()
        return shownOf(view).read()
      },
      notices: (view) => shownOf(view).notices,
    }),
    items: createItemTools((view) => shownOf(view).lists),
  }
}

/** One view's lists and notices. */
interface Shown {
  readonly lists: ItemLists
  /** Returns the list for a client. */
  read(): readonly ListedTool[]
  readonly notices: Observable<ExposureNotice>
}

/**
 * Creates the notices of a view's lists. A view announces differences among its actions; only those that show in the list of
 * some client are passed on.
 */
function createShown(view: View, lists: ItemLists): Shown {
  let told = lists.tools()
  let isCertain = false
  const hasChanged = (): boolean => {
    const now = lists.tools()
    // If a client read another list, the current list differs from that or from the announced one.
    const changed = isCertain || !isSameTools(told, now)
    told = now
    isCertain = false
    return changed
  }
  const toShown = (notice: Notice): readonly ExposureNotice[] => {
    if (notice.kind === "resources" || notice.kind === "updated") return [notice]
    const isAimed = notice.kind === "tools" && notice.targets
    return hasChanged() || isAimed ? [{ kind: "tools" }] : []
  }
  return {
    lists,
    read() {
      const now = lists.tools()
      isCertain ||= !isSameTools(told, now)
      return now
    },
    // Shared, so that each notice is judged once, however many clients listen.
    notices: view.notices.pipe(mergeMap(toShown), share()),
  }
}

function createItemTools(listsOf: (view: View) => ItemLists): ItemTools {
  return {
    toOwn(view, { name, args }, at = view) {
      const tool = listsOf(view).find(name)
      if (tool === undefined) return undefined
      // An action may have got the name of a former tool.
      if (tool.all.length === 0 && view.resolve(name).status !== "unknown") return undefined
      return toItemCall(at, tool, args)
    },
    of: (view, entry) => listsOf(view).of(entry),
    namesOf: (view, { name }) =>
      listsOf(view)
        .find(name)
        ?.shared.map(({ entry }) => entry.name),
    listed: (view) =>
      listsOf(view)
        .items()
        .flatMap(({ definition, listed, shared }) =>
          listed && definition ? [{ definition, actions: shared.map(({ entry }) => entry.name) }] : [],
        ),
    count: (view) => listsOf(view).count(),
  }
}
