import type { Action, AgenticService } from "@x/agentic-service"
import type { ActionDefinition } from "@x/agentic-service/adapter"
import equal from "fast-deep-equal"
import type { Report } from "../runtime/diagnostic.js"
import { samePublished, type ToolEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool, KnownTools } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { assertSmall, publishTool, reportBroken } from "./publish-tool.js"
import { createPublishedMembers, type MembersChange, type PublishedMembers } from "./published-members.js"

/** The tools made from the actions of one service. */
interface NodeTools {
  /** Takes in what changed of the actions. */
  update(change: MembersChange<Action> | undefined): void
  /** Whether some of it is left for another task. */
  unfinished(): boolean
  /** Makes them again under the path the place has now. */
  renew(): void
  /** Those that are callable or declared, by action key. */
  known(): ReadonlyMap<string, KnownTool>
  /** Takes them all back. */
  close(): void
}

/** How many former names of one service are remembered. */
const MAX_DEPARTED = 1_000

/** No tools yet. */
export function createNodeTools(place: Place<AgenticService>, context: NodeContext): NodeTools {
  // The names this service had and does not list now: what is known of them must not keep the service alive.
  const departed = new Map<string, ToolEntry>()
  let closing = false
  const reportLoosened = createLoosenedReport(context.host.report)

  const members: PublishedMembers<Action, ToolEntry> = createPublishedMembers<Action, ToolEntry>({
    mayPublish: context.mayPublish,
    publish: (key, action) => toEntry(key, assertRunnable(action)),
    // Two schemas may publish alike and still differ in how arguments become input.
    same: (before, after) => samePublished(before, after) && sameInput(before, after),
    onAdd(entry) {
      departed.delete(entry.name)
      context.tools.add(entry)
      reportLoosened(entry)
    },
    onRemove(entry) {
      context.tools.remove(entry)
      depart(entry)
    },
    onBroken: (key, cause) => reportBroken(context.host.report, { kind: "action", path: place.path, key, cause }),
  })

  const toEntry = (key: string, action: ActionDefinition): ToolEntry => {
    const { path } = place
    const name = context.toolName(path, key)
    const { publishInput, limits } = context
    return assertSmall(
      publishTool({ path, key, name, action, publishInput, current: () => members.member(key) }),
      limits,
    )
  }

  const depart = (entry: ToolEntry): void => {
    remember(departed, entry)
    if (!closing) context.known.depart(toKnown(entry))
  }

  const toKnown = (entry: ToolEntry): KnownTool => ({
    entry,
    latest: () => members.entry(entry.key),
    reason: () => declaredAction(place.service, entry.key)?.unavailable(),
  })

  const declared = createDeclaredTools(place.service, toEntry, context.known)
  const withdraw = (): void => {
    // The others depart when they are taken off the list.
    for (const entry of declared.withdraw()) if (members.entry(entry.key) === undefined) depart(entry)
  }
  declared.declare()

  return {
    update: members.update,
    unfinished: members.unfinished,
    renew() {
      withdraw()
      members.renew()
      declared.declare()
    },
    known() {
      const known = new Map([...declared.entries()].map(([key, entry]) => [key, toKnown(entry)]))
      for (const entry of members.entries()) known.set(entry.key, toKnown(entry))
      return known
    },
    close() {
      closing = true
      withdraw()
      members.clear()
      for (const entry of departed.values()) context.known.depart(toGhost(entry))
    },
  }
}

function remember(departed: Map<string, ToolEntry>, entry: ToolEntry): void {
  departed.set(entry.name, entry)
  const [oldest] = departed.keys()
  if (departed.size > MAX_DEPARTED && oldest !== undefined) departed.delete(oldest)
}

function declaredAction(
  service: AgenticService,
  key: string,
): AgenticService["declared"]["actions"][string] | undefined {
  return Object.hasOwn(service.declared.actions, key) ? service.declared.actions[key] : undefined
}

/** Whether arguments become input in the same way. */
function sameInput(before: ToolEntry, after: ToolEntry): boolean {
  return before.wrapped === after.wrapped && equal(before.changes, after.changes)
}

/** A hand-written service may hold anything. */
function assertRunnable(action: Action): Action {
  if (typeof action.execute === "function") return action
  throw new TypeError(`expected a function "execute", found ${typeof action.execute}`)
}

/** What is known of a tool whose service is gone, without holding on to the service. */
function toGhost(entry: ToolEntry): KnownTool {
  return {
    entry: { ...entry, toInput: (args) => args, current: () => undefined },
    latest: () => undefined,
    reason: () => "the service it belongs to is not linked now",
  }
}

/** The tools that one service declares, under the names they have where the service stands now. */
interface DeclaredTools {
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
function createDeclaredTools(
  service: AgenticService,
  toEntry: (key: string, definition: ActionDefinition) => ToolEntry,
  known: Pick<KnownTools, "declare" | "withdraw">,
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

/**
 * Tells the operator what of an action's schema clients have in words only, once for each schema, however often its action
 * comes and goes. Calls are checked against all of it.
 */
function createLoosenedReport(report: Report): (entry: ToolEntry) => void {
  const told = new WeakSet<object>()
  return ({ schema, changes, path, key }) => {
    const loose = changes.filter(({ how }) => how !== "rewritten")
    if (loose.length === 0 || typeof schema !== "object" || told.has(schema)) return
    told.add(schema)
    const places = loose.slice(0, SHOWN).map((change) => `"${change.keyword}" at "${change.path}"`)
    const more = loose.length > SHOWN ? ` and ${loose.length - SHOWN} more` : ""
    report({
      code: "schema_loosened",
      message: `action "${key}" is published with ${places.join(", ")}${more} in words only: choose another "publish.profile" if your clients take more`,
      path,
      key,
    })
  }
}

const SHOWN = 5
