import { formatPath } from "../names/path.js"
import { foldHyphens, foldToolName } from "../names/tool-name.js"
import type { Report } from "../runtime/diagnostic.js"
import type { ToolEntry } from "./entry.js"
import type { ReservedNames } from "./naming.js"

/** A registry of names that are equal to hosts which ignore case and joints. Equal names all stay. */
export interface NameTwins {
  /** Adds a newly known tool, and reports names equal to its own. */
  add(entry: ToolEntry): void
  /** Removes a tool that is no longer known. */
  remove(entry: ToolEntry): void
  /** Returns known names equal to a name, including itself. */
  of(name: string): readonly string[]
  /** Unsubscribes from the reserved names. */
  close(): void
}

/** Creates a registry that knows only reserved names. */
export function createNameTwins(reserved: ReservedNames, report: Report): NameTwins {
  const byFold = new Map<string, Map<string, ToolEntry>>()
  const reportTwin = ({ name, path, key }: ToolEntry, twin: string): void =>
    report({
      code: "name_alike",
      message: `action "${formatPath([...path, key])}" is named "${name}", too similar to "${twin}": some hosts confuse the two or refuse both; give it a "toolName"`,
      path,
      key,
    })
  const stop = reserved.onAdd((name) => {
    // A name that equals it after "-" → "_" gets another name, so it needs no report.
    for (const entry of byFold.get(foldToolName(name))?.values() ?? [])
      if (foldHyphens(entry.name) !== foldHyphens(name)) reportTwin(entry, name)
  })

  return {
    of: (name) => [...(byFold.get(foldToolName(name))?.keys() ?? [])],
    add(entry) {
      const fold = foldToolName(entry.name)
      const twins = byFold.get(fold) ?? new Map<string, ToolEntry>()
      byFold.set(fold, twins)
      const own = [...reserved.all()].find((name) => foldToolName(name) === fold)
      const [twin = own] = twins.keys()
      twins.set(entry.name, entry)
      if (twin !== undefined) reportTwin(entry, twin)
    },
    remove({ name }) {
      const fold = foldToolName(name)
      const twins = byFold.get(fold)
      twins?.delete(name)
      if (twins?.size === 0) byFold.delete(fold)
    },
    close: stop,
  }
}
