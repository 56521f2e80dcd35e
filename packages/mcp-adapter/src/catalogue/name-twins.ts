import { formatPath } from "../names/path.js"
import { BUILT_IN_NAMES, foldToolName } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import type { ToolEntry } from "./entry.js"

/** Notices names that are one to a host that does not tell case and joints apart. Both stay. */
export interface NameTwins {
  /** Takes in a tool that has become known, and reports what it is one with. */
  add(entry: ToolEntry): void
  /** Forgets a tool that is not known any more. */
  remove(entry: ToolEntry): void
}

/** Knows the names of our own tools only. */
export function createNameTwins(report: Report): NameTwins {
  const byFold = new Map<string, Set<string>>()
  for (const name of BUILT_IN_NAMES) byFold.set(foldToolName(name), new Set([name]))

  return {
    add({ name, path, key }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold) ?? new Set()
      byFold.set(fold, twins)
      const [twin] = twins
      twins.add(name)
      if (twin === undefined) return
      report({
        code: "name_alike",
        message: `action "${formatPath([...path, key])}" is named "${name}", and there is "${twin}": some hosts take them for one, or refuse both; give it a "toolName"`,
        path,
        key,
      })
    },
    remove({ name }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold)
      twins?.delete(name)
      if (twins?.size === 0) byFold.delete(fold)
    },
  }
}
