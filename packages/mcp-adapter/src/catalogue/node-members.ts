import type { Action, AgenticService, State } from "@x/agentic-service"
import type { StateDefinition } from "@x/agentic-service/adapter"
import { compareText } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import type { Path } from "../names/path.js"
import type { Report } from "../runtime/diagnostic.js"
import { createDeclaredTools, declaredAction } from "./declared-tools.js"
import { type StateEntry, samePublished, type ToolEntry } from "./entry.js"
import type { Place } from "./graph.js"
import type { KnownTool } from "./known-tools.js"
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
  /** The one of an action key that is callable or declared. */
  entry(key: string): ToolEntry | undefined
  /** Takes them all back. */
  close(): void
}

/** What entries are made of beside their members. */
interface NodeSite extends NodeContext {
  /** The identity of what the service stands for now. */
  readonly thing: () => string
}

/** How many former names of one service are remembered. */
const MAX_DEPARTED = 1_000

/** Creates the tools of the service at `place`. */
export function createNodeTools(place: Place<AgenticService>, context: NodeSite): NodeTools {
  // The names this service had and does not list now: what is known of them must not keep the service alive.
  const departed = new Map<string, ToolEntry>()
  let closing = false
  const reportLoosened = createLoosenedReport(context.host.report)
  const { naming } = context
  const renew = (key: string): void => {
    declared.renew(key)
    members.renew(key)
  }

  const members: PublishedMembers<Action, ToolEntry> = createPublishedMembers<Action, ToolEntry>({
    mayPublish: context.mayPublish,
    publish: (key, action, current) => publishSmall(place, context, { key, action: assertRunnable(action), current }),
    // Two schemas may publish alike and still differ in how arguments become input.
    same: (before, after) => samePublished(before, after) && sameWays(before, after),
    isCurrent: naming.isCurrent,
    onAdd(entry) {
      departed.delete(entry.name)
      naming.hold(entry, renew)
      context.tools.add(entry)
      reportLoosened(entry)
    },
    onRemove(entry) {
      naming.release(entry, renew)
      context.tools.remove(entry)
      depart(entry)
    },
    onBroken: (key, cause) => reportBroken(context.host.report, { kind: "action", path: place.path, key, cause }),
  })

  const depart = (entry: ToolEntry): void => {
    remember(departed, entry)
    if (!closing) context.known.depart(toKnown(entry))
  }

  const toKnown = (entry: ToolEntry): KnownTool => ({
    entry,
    latest: () => members.entry(entry.key),
    reason: () => declaredAction(place.service, entry.key)?.unavailable(),
    revive: (signal) => declaredAction(place.service, entry.key)?.revive?.(signal),
  })

  const declared = createDeclaredTools(place.service, {
    mayPublish: context.mayPublish,
    toEntry: (key, action) => publishSmall(place, context, { key, action, current: () => members.member(key) }),
    known: {
      declare(entry) {
        naming.hold(entry, renew)
        context.known.declare(entry)
      },
      withdraw(entry) {
        naming.release(entry, renew)
        context.known.withdraw(entry)
      },
    },
    // The others depart when they are taken off the list.
    withdrawn: (entry) => members.entry(entry.key) ?? depart(entry),
  })

  return {
    update(change) {
      // Of a service that lies elsewhere it may be known late.
      declared.declare()
      members.update(change)
    },
    unfinished: () => declared.unfinished() || members.unfinished(),
    renew() {
      declared.withdraw()
      members.renew()
      declared.declare("all")
    },
    known: () => new Map([...declared.entries(), ...members.entries()].map((entry) => [entry.key, toKnown(entry)])),
    entry: (key) => members.entry(key) ?? declared.entry(key),
    close() {
      closing = true
      declared.withdraw()
      members.clear()
      for (const entry of departed.values()) context.known.depart(toGhost(entry))
    },
  }
}

function publishSmall(
  { path }: Place<AgenticService>,
  { naming, publishInput, limits, thing }: NodeSite,
  tool: Pick<Parameters<typeof publishTool>[0], "key" | "action" | "current">,
): ToolEntry {
  const name = naming.nameOf({ path, key: tool.key, chosen: tool.action.toolName })
  return assertSmall(publishTool({ ...tool, path, name, thing: thing(), publishInput }), limits)
}

function remember(departed: Map<string, ToolEntry>, entry: ToolEntry): void {
  departed.set(entry.name, entry)
  const [oldest] = departed.keys()
  if (departed.size > MAX_DEPARTED && oldest !== undefined) departed.delete(oldest)
}

/** Whether arguments become input, and values become results, in the same way. */
function sameWays(before: ToolEntry, after: ToolEntry): boolean {
  const sameInput = before.wrapped === after.wrapped && equal(before.changes, after.changes)
  return sameInput && before.output?.wrapped === after.output?.wrapped
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

/** The state entries made from the states of one service. */
interface NodeStates {
  /** Takes in what changed of the states. */
  update(change: MembersChange<State>): void
  /** Makes them again under the path the place has now. */
  renew(): void
  /** The visible ones, sorted by key. */
  sorted(): readonly StateEntry[]
  /** Takes them all back. */
  close(): void
}

/** Creates the state entries of the service at `place`. */
export function createNodeStates(place: Place<AgenticService>, context: NodeSite): NodeStates {
  const members: PublishedMembers<State, StateEntry> = createPublishedMembers<State, StateEntry>({
    publish: (key, state, current) =>
      assertSmall(
        publishState({
          path: place.path,
          key,
          thing: context.thing(),
          uri: context.stateUri(place.path, key),
          state,
          current,
        }),
        context.limits,
      ),
    same: samePublished,
    onAdd: (entry) => context.states.add(entry),
    onRemove: (entry) => context.states.remove(entry),
    onReplace(entry, before, after) {
      if (mayDiffer(before, after)) context.onValue(entry)
    },
    onBroken: (key, cause) => reportBroken(context.host.report, { kind: "state", path: place.path, key, cause }),
  })
  return {
    update: members.update,
    renew: () => members.renew(),
    sorted: () => [...members.entries()].sort((a, b) => compareText(a.key, b.key)),
    close: () => members.clear(),
  }
}

/** A state, and where it stands. */
interface PublishableState {
  /** The service's canonical path. */
  readonly path: Path
  /** The state's key. */
  readonly key: string
  /** The identity of what the service stands for. */
  readonly thing: string
  /** The URI for that path and key. */
  readonly uri: string
  /** What is fixed about the state. */
  readonly state: StateDefinition
  /** Looks the state up in the live map. */
  readonly current: () => State | undefined
}

/** Makes the entry that clients are shown. */
function publishState({ path, key, thing, uri, state, current }: PublishableState): StateEntry {
  const definition = Object.freeze({
    uri,
    name: [...path, key].join("/"),
    ...(state.title !== undefined && { title: state.title }),
    ...(state.description !== undefined && { description: state.description }),
    mimeType: state.mediaType ?? "application/json",
  })
  const alias = state.uri === undefined ? {} : { alias: state.uri }
  return { kind: "state", uri, ...alias, path, key, thing, definition, current }
}

/**
 * Whether a state that emitted may have another value. Only what is the same whatever happened to it, a primitive, can be
 * told without encoding; of everything else the views say whether it is another, by what was told of it.
 */
function mayDiffer(before: State, after: State): boolean {
  return before !== after && (typeof after.value === "object" || !Object.is(before.value, after.value))
}
