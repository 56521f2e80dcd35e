import type { AgenticService } from "@x/agentic-service"
import type { ActionDefinition } from "@x/agentic-service/adapter"
import type { ToolEntry } from "./entry.js"
import type { KnownTools } from "./known-tools.js"

/** Tools that one service declares, under the names of its current path. */
interface DeclaredTools {
  /** Returns all declared tools. */
  entries(): Iterable<ToolEntry>
  /**
   * Registers the declared tools under their current names. Free when all are registered.
   *
   * @param howMany - Default: as many as this task allows. `"all"` when all were registered under another path.
   */
  declare(howMany?: "all"): void
  /** Whether some remain for another task. */
  unfinished(): boolean
  /** Returns the tool of a key, if registered. */
  entry(key: string): ToolEntry | undefined
  /** Registers a key's tool again, because another tool took its name. */
  renew(key: string): void
  /** Unregisters all tools. */
  withdraw(): void
}

/** Options for registering declared tools. */
interface DeclaringOptions {
  /** Returns whether this task allows another entry. */
  readonly mayPublish: () => boolean
  /** Creates an entry. Throws when it cannot be published. */
  readonly toEntry: (key: string, definition: ActionDefinition) => ToolEntry
  /** The registry of known tools. */
  readonly known: Pick<KnownTools, "declare" | "withdraw">
  /** Called with an entry whose name was unregistered. */
  readonly withdrawn: (entry: ToolEntry) => void
}

/** Creates the declared tools of a service, without registering any. */
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
      // An unpublishable tool stays unknown. A diagnostic follows when it would be listed.
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

/** Returns the declaration of an action. */
export function declaredAction(
  service: AgenticService,
  key: string,
): AgenticService["declared"]["actions"][string] | undefined {
  return Object.hasOwn(service.declared.actions, key) ? service.declared.actions[key] : undefined
}
