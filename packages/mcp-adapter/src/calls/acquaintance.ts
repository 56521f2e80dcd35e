import type { Failure } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import type { View } from "../views/view.js"
import type { ActiveCall } from "./active-call.js"
import { type CallContext, toClientKey } from "./call-context.js"

/**
 * Remembers which service instance each client last saw under a name. If a destructive call's name leads to another instance by
 * now, a person confirms it first. The memory is bounded: a client without entries has no stale calls.
 */
export interface Acquaintance {
  /** Records that a client received definitions of tools, such as a page of a list, as they are now. */
  listed(view: View, client: AcquaintedClient, page: ListedPage): void
  /** Records that a client saw the service at a path, through its states or a message. */
  saw(view: View, client: AcquaintedClient, path: Path): void
}

/** Definitions of tools that a client received. */
export interface ListedPage {
  /** The definitions. Clients that receive the same array share its memory. */
  readonly tools: readonly ToolDefinition[]
  /** Returns the names of the actions for which a tool stands; `undefined` if it stands for itself. Default: it does. */
  readonly namesOf?: ((tool: ToolDefinition) => readonly string[] | undefined) | undefined
}

/** An {@link Acquaintance} that also judges calls. */
export interface JudgingAcquaintance extends Acquaintance {
  /** Checks whether the client was last shown another instance under a call's name, or at the path of its service. */
  isStale(call: Pick<ActiveCall, "view" | "context" | "subject">, entry: ToolEntry): boolean
  /**
   * Creates the failure of a stale call if no person can be asked. The failure informs the client, so the next call is not
   * stale.
   */
  refuse(call: Pick<ActiveCall, "view" | "context" | "subject">, entry: ToolEntry): Failure
}

/** The parts of a call's context that identify its client. */
export type AcquaintedClient = Pick<CallContext, "client" | "session" | "principal">

/** A shown instance and its order. The latest one counts. */
interface Shown {
  readonly what: string
  readonly order: number
}

/** The destructive tools of one list, by name. */
interface ShownList {
  readonly things: ReadonlyMap<string, string>
  readonly order: number
}

/** Instances that one client saw in one view or target. */
interface Known {
  /** Long pages of lists, the newest last. */
  lists: readonly ShownList[]
  /** Actions of short lists, by name. */
  readonly names: Recent<Shown>
  /** Services by path. */
  readonly services: Recent<Shown>
}

/** The most clients, and the most pages, names and services of each. */
const MEMORY = { clients: 5_000, lists: 8, names: 200, services: 200 }

/** Lists with more destructive tools than this are kept whole, so that clients with the same list share it. */
const SHORT = 50

/** Creates the memory of the instances that clients were shown. */
export function createAcquaintance(): JudgingAcquaintance {
  const clients = createRecent<Known>(MEMORY.clients)
  const read = createReadThings()
  let order = 0
  const keyOf = (view: View, client: AcquaintedClient): string =>
    composeThing(toClientKey(client), view.target ?? "", ...view.at)
  const know = (view: View, client: AcquaintedClient): Known => {
    const key = keyOf(view, client)
    return clients.put(key, clients.get(key) ?? create())
  }
  const create = (): Known => ({
    lists: [],
    names: createRecent(MEMORY.names),
    services: createRecent(MEMORY.services),
  })
  const saw = (view: View, client: AcquaintedClient, path: Path): void => {
    const what = view.way(path)?.things.at(-1)
    order += 1
    if (what !== undefined) know(view, client).services.put(formatPath(path), { what, order })
  }
  return {
    listed(view, client, page) {
      const known = know(view, client)
      const things = read(view, page)
      order += 1
      if (things.size <= SHORT) {
        for (const [name, what] of things) known.names.put(name, { what, order })
        return
      }
      const others = known.lists.filter((list) => list.things !== things)
      known.lists = [...others, { things, order }].slice(-MEMORY.lists)
    },
    saw,
    isStale({ view, context, subject }, entry) {
      if (entry.definition.annotations.destructiveHint !== true) return false
      const known = clients.get(keyOf(view, context))
      const stale = known !== undefined && isOther(known, subject.name, entry)
      // A client knows the instance that it has called.
      if (!stale) saw(view, context, entry.path)
      return stale
    },
    refuse({ view, context, subject }, entry) {
      saw(view, context, entry.path)
      const place = entry.path.length === 0 ? "the application" : `"${formatPath(entry.path)}"`
      return {
        ok: false,
        code: "changed",
        message: `${place} has been replaced since it was last listed or read, so "${subject.name}" did not run`,
        recovery: "read the state again, then repeat the call if it is still wanted",
      }
    },
  }
}

/** Checks whether a client was last shown another instance than the one of an entry. */
function isOther({ lists, names, services }: Known, name: string, entry: ToolEntry): boolean {
  const list = lists.findLast(({ things }) => things.has(name))
  const listed = list && { what: list.things.get(name), order: list.order }
  const one = names.get(name)
  const action = one !== undefined && one.order > (listed?.order ?? 0) ? one : listed
  const service = services.get(formatPath(entry.path))
  if (service !== undefined && service.order > (action?.order ?? 0)) return service.what !== entry.thing
  return action !== undefined && action.what !== toIdentity(entry)
}

/** An action is identified by its service and key, because one name may later stand for another action of the service. */
function toIdentity({ thing, key }: ToolEntry): string {
  return composeThing(thing, key)
}

/** Creates a reader of the instances behind destructive tools. Clients that receive the same page share the result. */
function createReadThings() {
  const known = new WeakMap<
    readonly ToolDefinition[],
    { readonly at: number; readonly things: ReadonlyMap<string, string> }
  >()
  return (view: View, page: ListedPage): ReadonlyMap<string, string> => {
    const before = known.get(page.tools)
    const at = view.revision()
    if (before?.at === at) return before.things
    const things = new Map<string, string>()
    for (const name of destructiveNames(page)) {
      const found = view.resolve(name)
      if (found.status !== "unknown") things.set(name, toIdentity(found.entry))
    }
    known.set(page.tools, { at, things })
    return things
  }
}

function destructiveNames({ tools, namesOf }: ListedPage): readonly string[] {
  const destructive = tools.filter(({ annotations }) => annotations.destructiveHint === true)
  return destructive.flatMap((tool) => namesOf?.(tool) ?? [tool.name])
}

/** A map that forgets its oldest entries first. */
interface Recent<Value> {
  get(key: string): Value | undefined
  /** Stores a value as the newest. */
  put(key: string, value: Value): Value
}

function createRecent<Value>(most: number): Recent<Value> {
  const all = new Map<string, Value>()
  return {
    get: (key) => all.get(key),
    put(key, value) {
      all.delete(key)
      all.set(key, value)
      const [oldest] = all.keys()
      if (all.size > most && oldest !== undefined) all.delete(oldest)
      return value
    },
  }
}
