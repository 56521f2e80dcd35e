import type { State } from "@x/agentic-service"
import { composeThing, type Target } from "@x/agentic-service/adapter"
import { compareText } from "@x/base"
import { type Change, toChange } from "../catalogue/claims.js"
import type { Catalogue } from "../catalogue/create-catalogue.js"
import type { StateEntry, TargetsPart, ToolEntry } from "../catalogue/entry.js"
import type { PlacedTargets } from "../catalogue/placed-targets.js"
import { formatPath, type Path } from "../names/path.js"
import { TARGETS } from "./notices.js"
import type { TargetChoice, View, ViewTargets } from "./view.js"

/** {@link ViewTargets} with change detection. */
export interface OwnedTargets extends ViewTargets {
  /** Reports changed keys. */
  note(): void
}

/** Context of targets in a view. */
interface TargetOptions {
  readonly catalogue: Pick<Catalogue, "targets" | "statesAt" | "stateUri">
  readonly mayKnow: (path: Path) => boolean
  readonly mayRead: (entry: StateEntry) => boolean
  /** Called when the keys change. */
  readonly changed: (change: ReadonlyMap<string, Change<TargetsPart>>) => void
  /** Called when a reader receives the keys. */
  readonly read: () => void
  readonly view: () => View
}

/** Creates the targets of one view. */
export function createViewTargets(options: TargetOptions): OwnedTargets {
  const { catalogue, mayKnow, view } = options
  let last: { readonly from: readonly PlacedTargets[]; readonly keys: readonly string[] } = { from: [], keys: none }
  const placed = () => catalogue.targets().filter(({ path }) => mayKnow(path))
  const peek = (): readonly string[] => {
    const from = catalogue.targets()
    if (from !== last.from) {
      const keys = [...new Set(placed().flatMap((each) => each.keys))].sort(compareText)
      last = { from, keys: keys.join("\n") === last.keys.join("\n") ? last.keys : keys }
    }
    return last.keys
  }
  let told: readonly string[] | undefined
  const note = (): readonly string[] => {
    const after = peek()
    const before = told ?? after
    told = after
    if (before !== after) tell(before, after)
    return after
  }
  const tell = (before: readonly string[], after: readonly string[]): void => {
    options.changed(new Map([[TARGETS, toChange(toPart(before), toPart(after))]]))
  }
  return {
    note,
    any: () => placed().length > 0,
    keys() {
      const keys = note()
      options.read()
      return keys
    },
    choices: (at) =>
      placed()
        .filter(({ path }) => startsWith(path, at) || startsWith(at, path))
        .flatMap(({ keys, find }) => keys.flatMap((key) => toChoice(key, find(key)))),
    at(key) {
      const found = placed().find(({ find }) => find(key) !== undefined)
      return found && { path: found.path, view: aim(view(), { ...options, ...found, key }) }
    },
  }
}

const none: readonly string[] = Object.freeze([])

function toPart(keys: readonly string[]): TargetsPart {
  return { kind: "targets", definition: keys }
}

function toChoice(target: string, found: Target | undefined): readonly TargetChoice[] {
  return found === undefined ? [] : [{ target, title: found.title, front: found.isFront }]
}

interface Aim extends TargetOptions, PlacedTargets {
  readonly key: string
}

/** Creates a view that answers as one target does, with that target's current tools and states. */
function aim(view: View, { path, find, key, ...options }: Aim): View {
  const below = (at: Path): Path | undefined => (startsWith(at, path) ? at.slice(path.length) : undefined)
  const actionOf = (entry: ToolEntry) => {
    const at = below(entry.path)
    return at && find(key)?.action(at, entry.key)
  }
  /** Returns the target's identity at a path, or one made of its key when it has none. */
  const thingAt = (rest: Path): string => find(key)?.thing?.(rest) ?? composeThing("target", key, ...rest)
  return {
    ...view,
    target: key,
    way(at) {
      const rest = below(at)
      if (rest === undefined) return undefined
      const before = path.length === 0 ? [] : (view.way(path.slice(0, -1))?.things ?? [])
      const own = [[], ...rest.map((_, index) => rest.slice(0, index + 1))].map(thingAt)
      // A target exists only in this process.
      return { things: [...before, ...own], durable: () => undefined }
    },
    snapshot() {
      const snapshot = view.snapshot()
      return { ...snapshot, tools: snapshot.tools.filter((entry) => actionOf(entry) !== undefined) }
    },
    resolve(name) {
      const resolved = view.resolve(name)
      if (resolved.status === "unknown") return resolved
      const { entry } = resolved
      const action = actionOf(entry)
      if (action === undefined)
        return { status: "unavailable", name, entry, reason: `the target "${key}" does not have this action now` }
      const thing = thingAt(below(entry.path) ?? [])
      return { status: "available", entry: { ...entry, thing, current: () => actionOf(entry) }, action }
    },
    statesAt(at) {
      const rest = below(at)
      const states = rest && find(key)?.states(rest)
      return (
        states &&
        toEntries(states, at, {
          ...options,
          thing: thingAt(rest),
          current: (state) => find(key)?.states(rest)?.[state],
        })
      )
    },
    // Known values by URI belong to the front target, so this one's are not recorded.
    noteRead: () => undefined,
  }
}

function toEntries(
  states: Readonly<Record<string, State>>,
  path: Path,
  { catalogue, mayRead, thing, current }: TargetOptions & TargetStates,
): readonly StateEntry[] {
  const listed = new Map(catalogue.statesAt(path)?.map((entry) => [entry.key, entry]))
  const entries = Object.entries(states).map(([key, { mediaType = "application/json" }]): StateEntry => {
    const uri = catalogue.stateUri(path, key)
    const definition = { uri, name: formatPath([...path, key]), mimeType: mediaType }
    const entry: StateEntry = { kind: "state", uri, path, key, thing, definition, current: () => current(key) }
    return { ...entry, ...listed.get(key), thing, current: entry.current }
  })
  return entries.filter(mayRead).sort((one, other) => compareText(one.key, other.key))
}

/** Context for reading one target's states. */
interface TargetStates {
  /** The identity of the states' owner. */
  readonly thing: string
  /** Returns a current state. */
  current(key: string): State | undefined
}

function startsWith(path: Path, start: Path): boolean {
  return path.length >= start.length && start.every((key, index) => path[index] === key)
}
