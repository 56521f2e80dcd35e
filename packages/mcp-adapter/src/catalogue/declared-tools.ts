import type { ActionDefinition, AgenticService } from "@x/agentic-service"
import type { ToolEntry } from "./entry.js"
import type { KnownList } from "./known-list.js"

/** The tools that one service declares, under the names they have where the service stands now. */
export interface DeclaredTools {
  /** By action key. */
  entries(): ReadonlyMap<string, ToolEntry>
  /** Makes them known under the names they have now. */
  declare(): void
  /**
   * Takes those names back.
   *
   * @returns What had them.
   */
  withdraw(): readonly ToolEntry[]
}

/** Nothing is declared before {@link DeclaredTools.declare}. What a service declares does not change, but the names may. */
export function createDeclaredTools(
  service: AgenticService,
  toEntry: (key: string, definition: ActionDefinition) => ToolEntry,
  known: Pick<KnownList, "declare" | "withdraw">,
): DeclaredTools {
  const entries = new Map<string, ToolEntry>()
  return {
    entries: () => entries,
    declare() {
      for (const [key, { definition }] of Object.entries(service.declared.actions)) {
        try {
          entries.set(key, toEntry(key, definition))
        } catch {
          // What cannot be published is not known either; it is reported when it would be listed.
        }
      }
      for (const entry of entries.values()) known.declare(entry)
    },
    withdraw() {
      const withdrawn = [...entries.values()]
      for (const entry of withdrawn) known.withdraw(entry)
      entries.clear()
      return withdrawn
    },
  }
}
