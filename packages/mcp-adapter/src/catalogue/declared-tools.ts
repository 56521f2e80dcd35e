import type { AgenticService } from "@x/agentic-service"
import type { ActionDefinition } from "@x/agentic-service/adapter"
import type { ToolEntry } from "./entry.js"
import type { KnownTools } from "./known-tools.js"

/** The tools that one service declares, under the names they have where the service stands now. */
interface DeclaredTools {
  /** All of them. */
  entries(): Iterable<ToolEntry>
  /**
   * Makes them known under the names they have now; costs nothing where all are.
   *
   * @param howMany - Default: as many as there may be in this task. `"all"` where all were there under another path.
   */
  declare(howMany?: "all"): void
  /** Whether some are left for another task. */
  unfinished(): boolean
  /** The tool of a key, as far as it is known. */
  entry(key: string): ToolEntry | undefined
  /** Makes the tool of a key known again, because its name belongs to another. */
  renew(key: string): void
  /** Takes those names back. */
  withdraw(): void
}

/** How tools are declared. */
interface DeclaringOptions {
  /** Whether another entry may be made within this task. */
  readonly mayPublish: () => boolean
  /** Makes an entry; throws where it cannot be published. */
  readonly toEntry: (key: string, definition: ActionDefinition) => ToolEntry
  /** Where they are made known. */
  readonly known: Pick<KnownTools, "declare" | "withdraw">
  /** Told of what had a name that is taken back. */
  readonly withdrawn: (entry: ToolEntry) => void
}

/** Nothing is declared yet. */
export function createDeclaredTools(
  service: AgenticService,
  { mayPublish, toEntry, known, withdrawn }: DeclaringOptions,
): DeclaredTools {
  const entries = new Map<string, ToolEntry>()
  const definitions = new Map<string, ActionDefinition>()
  const left = new Map<string, ActionDefinition>()
  let declared: AgenticService["declared"] | undefined

  const put = (key: string, definition: ActionDefinition): void => {
    definitions.set(key, definition)
    try {
      const entry = toEntry(key, definition)
      entries.set(key, entry)
      known.declare(entry)
    } catch {
      // What cannot be published is not known either; it is reported when it would be listed.
    }
  }
  const remove = (key: string): void => {
    const entry = entries.get(key)
    definitions.delete(key)
    if (entry === undefined) return
    entries.delete(key)
    known.withdraw(entry)
    withdrawn(entry)
  }
  const look = (): void => {
    if (declared === service.declared) return
    declared = service.declared
    left.clear()
    for (const [key, before] of [...definitions]) if (declaredAction(service, key)?.definition !== before) remove(key)
    for (const [key, { definition }] of Object.entries(declared.actions))
      if (!definitions.has(key)) left.set(key, definition)
  }

  return {
    entries: () => entries.values(),
    declare(howMany) {
      look()
      for (const [key, definition] of left) {
        if (howMany !== "all" && !mayPublish()) return
        left.delete(key)
        put(key, definition)
      }
    },
    unfinished: () => left.size > 0,
    entry: (key) => entries.get(key),
    renew(key) {
      const definition = definitions.get(key)
      if (definition === undefined) return
      remove(key)
      put(key, definition)
    },
    withdraw() {
      declared = undefined
      left.clear()
      for (const key of [...definitions.keys()]) remove(key)
    },
  }
}

/** What a service declares under a key. */
export function declaredAction(
  service: AgenticService,
  key: string,
): AgenticService["declared"]["actions"][string] | undefined {
  return Object.hasOwn(service.declared.actions, key) ? service.declared.actions[key] : undefined
}
