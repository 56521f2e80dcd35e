import type { Action, AgenticService, State } from "@x/agentic-service"
import type { StateDefinition } from "@x/agentic-service/adapter"
import { compareText } from "@x/base"
import equal from "fast-deep-equal"
import type { Path } from "../names/path.js"
import { createDeclaredTools, declaredAction } from "./declared-tools.js"
import { type StateEntry, samePublished, type ToolEntry } from "./entry.js"
import type { Place } from "./graph.js"
import { type KnownTool, withoutService } from "./known-tools.js"
import type { NodeContext } from "./node-context.js"
import { assertSmall, mayReturnHandle, publishTool, reportBroken } from "./publish-tool.js"
import { createPublishedMembers, type MembersChange, type PublishedMembers } from "./published-members.js"
import { createLostReport } from "./report-lost.js"

/** Tools of one service's actions. */
interface NodeTools {
  /** Processes changed actions. */
  update(change: MembersChange<Action> | undefined): void
  /** Whether some changes remain for another task. */
  unfinished(): boolean
  /** Recreates the tools under the place's current path. */
  renew(): void
  /** Returns callable and declared tools, by action key. The same map until one of them may have changed. */
  known(): ReadonlyMap<string, KnownTool>
  /** Returns an action's tool, callable or declared. */
  entry(key: string): ToolEntry | undefined
  /** Removes all tools. */
  close(): void
}

/** Context for creating entries of one service. */
interface NodeSite extends NodeContext {
  /** Returns the identity of the service's current instance. */
  readonly thing: () => string
}

/** The maximum of remembered former names of one service. */
const MAX_DEPARTED = 1_000

/** Creates the tools of the service at `place`. */
export function createNodeTools(place: Place<AgenticService>, context: NodeSite): NodeTools {
  // Former names of this service. Their records must not keep the service alive.
  const departed = new Map<string, Departed>()
  let closing = false
  const reportLost = createLostReport(context.host.report)
  const { naming } = context
  const known = createMemo(
    () => new Map([...declared.entries(), ...members.entries()].map((entry) => [entry.key, toKnown(entry)])),
  )
  const renew = (key: string): void => {
    known.forget()
    declared.renew(key)
    members.renew(key)
  }

  const members: PublishedMembers<Action, ToolEntry> = createPublishedMembers<Action, ToolEntry>({
    mayPublish: context.mayPublish,
    publish: (key, action, current) => publishSmall(place, context, { key, action: assertRunnable(action), current }),
    // Two schemas may be published alike, yet convert arguments differently.
    same: (before, after) => samePublished(before, after) && sameWays(before, after),
    isCurrent: naming.isCurrent,
    onAdd(entry) {
      departed.delete(entry.name)
      naming.hold(entry, renew)
      context.tools.add(entry)
      reportLost(entry)
    },
    onRemove(entry) {
      naming.release(entry, renew)
      context.tools.remove(entry)
      depart(entry)
    },
    onBroken: (key, cause) => reportBroken(context.host.report, { kind: "action", path: place.path, key, cause }),
  })

  const depart = (entry: ToolEntry): void => {
    remember(departed, { entry, at: context.known.turn() })
    if (!closing) context.known.depart(toKnown(entry))
  }

  const toKnown = (entry: ToolEntry): KnownTool => toKnownTool(place, entry, () => members.entry(entry.key))

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
    // Listed tools are recorded when they leave the list.
    withdrawn: (entry) => members.entry(entry.key) ?? depart(entry),
  })

  return {
    update(change) {
      known.forget()
      // Declarations of a remote service may arrive late.
      declared.declare()
      members.update(change)
    },
    unfinished: () => declared.unfinished() || members.unfinished(),
    renew() {
      known.forget()
      declared.withdraw()
      members.renew()
      declared.declare("all")
    },
    known: known.read,
    entry: (key) => members.entry(key) ?? declared.entry(key),
    close() {
      closing = true
      declared.withdraw()
      members.clear()
      for (const { entry, at } of departed.values()) context.known.depart(toGhost(entry), at)
    },
  }
}

function toKnownTool({ service }: Place<AgenticService>, entry: ToolEntry, latest: KnownTool["latest"]): KnownTool {
  return {
    entry,
    latest,
    reason: () => declaredAction(service, entry.key)?.unavailable(),
    revive: (signal) => declaredAction(service, entry.key)?.revive?.(signal),
  }
}

/** Keeps what is made of many parts, until a part has changed. */
function createMemo<Made extends object>(make: () => Made): { read(): Made; forget(): void } {
  let made: Made | undefined
  return {
    read() {
      made ??= make()
      return made
    },
    forget() {
      made = undefined
    },
  }
}

function publishSmall(
  { path }: Place<AgenticService>,
  { naming, publishInput, limits, thing }: NodeSite,
  tool: Pick<Parameters<typeof publishTool>[0], "key" | "action" | "current">,
): ToolEntry {
  const { key, action } = tool
  const name = naming.nameOf({ path, key, chosen: action.toolName, long: mayReturnHandle(action) })
  return assertSmall(publishTool({ ...tool, path, name, thing: thing(), publishInput }), limits)
}

/** A former name, and the turn at which it left the list; see {@link KnownTools.turn}. */
interface Departed {
  readonly entry: ToolEntry
  readonly at: number
}

function remember(departed: Map<string, Departed>, left: Departed): void {
  departed.set(left.entry.name, left)
  const [oldest] = departed.keys()
  if (departed.size > MAX_DEPARTED && oldest !== undefined) departed.delete(oldest)
}

/** Checks whether arguments become input, and values become results, in the same way. */
function sameWays(before: ToolEntry, after: ToolEntry): boolean {
  const sameInput = before.wrapped === after.wrapped && equal(before.changes, after.changes)
  return sameInput && before.output?.wrapped === after.output?.wrapped
}

/** Checks an action of a service written by hand, which may hold anything. */
function assertRunnable(action: Action): Action {
  if (typeof action.execute === "function") return action
  throw new TypeError(`expected a function "execute", found ${typeof action.execute}`)
}

/** Describes a tool of a vanished service without a reference to that service. */
function toGhost(entry: ToolEntry): KnownTool {
  return {
    entry: withoutService(entry),
    latest: () => undefined,
    reason: () => "no link leads to its service now",
  }
}

/** Entries of one service's states. */
interface NodeStates {
  /** Processes changed states. */
  update(change: MembersChange<State>): void
  /** Recreates the entries under the place's current path. */
  renew(): void
  /** Returns visible states, sorted by key. */
  sorted(): readonly StateEntry[]
  /** Removes all entries. */
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

/** A state, ready to publish. */
interface PublishableState {
  /** The service's canonical path. */
  readonly path: Path
  /** The state's key. */
  readonly key: string
  /** The identity of the service's instance. */
  readonly thing: string
  /** That path and key's URI. */
  readonly uri: string
  /** The state's definition. */
  readonly state: StateDefinition
  /** Returns the current state from the live map. */
  readonly current: () => State | undefined
}

/** Creates a state's entry. */
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
 * Checks whether an emitted state may have another value. Only primitives can be compared without encoding. For all other
 * values, views compare with the last value they announced.
 */
function mayDiffer(before: State, after: State): boolean {
  return before !== after && (typeof after.value === "object" || !Object.is(before.value, after.value))
}
