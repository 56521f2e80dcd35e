import type { Failure } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import type { View } from "../views/view.js"
import type { ActiveCall } from "./active-call.js"
import { type CallContext, toClientKey } from "./call-context.js"

/**
 * Knows which things each client has last been shown, so that a destructive call under a name that leads elsewhere by now is asked
 * about. Bounded: of a client that is forgotten, or was shown nothing, nothing is known, and nothing is asked for it.
 */
export interface Acquaintance {
  /** Notes that a client was handed definitions of tools, such as a page of a list, as they are now. */
  listed(view: View, client: AcquaintedClient, tools: readonly ToolDefinition[]): void
  /** Notes that a client was told what stands behind the service at a path, by its states or in words. */
  saw(view: View, client: AcquaintedClient, path: Path): void
}

/** {@link Acquaintance}, for those who ask. */
export interface JudgingAcquaintance extends Acquaintance {
  /** Whether the client was last shown another thing under a call's name, or at the place of its service. */
  isStale(call: Pick<ActiveCall, "view" | "context" | "subject">, entry: ToolEntry): boolean
  /** The failure of such a call where nobody can be asked. It tells the client, so the next call is not stale. */
  refuse(call: Pick<ActiveCall, "view" | "context" | "subject">, entry: ToolEntry): Failure
}

/** A client as it is told from others. */
export type AcquaintedClient = Pick<CallContext, "client" | "session" | "principal">

/** Something that a client was shown, and when: what it was shown last is what it goes by. */
interface Shown {
  readonly what: string
  readonly order: number
}

/** The destructive tools of one list, by name. */
interface ShownList {
  readonly things: ReadonlyMap<string, string>
  readonly order: number
}

/** What one client was shown of one view, or of one target of it. */
interface Known {
  /** Long pages of lists, the newest last. */
  lists: readonly ShownList[]
  /** Actions by name, of short lists. */
  readonly names: Recent<Shown>
  /** Services by path. */
  readonly services: Recent<Shown>
}

/** How many clients are known, and how many pages and services of each. */
const MEMORY = { clients: 5_000, lists: 8, names: 200, services: 200 }

/** A list of more destructive tools than this is kept whole: clients who are handed the same share it. */
const SHORT = 50

/** Creates a memory of clients that have been shown nothing yet. */
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
    listed(view, client, tools) {
      const known = know(view, client)
      const things = read(view, tools)
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
      // What a client has called it knows.
      if (!stale) saw(view, context, entry.path)
      return stale
    },
    refuse({ view, context, subject }, entry) {
      saw(view, context, entry.path)
      const place = entry.path.length === 0 ? "the application" : `"${formatPath(entry.path)}"`
      return {
        ok: false,
        code: "changed",
        message: `${place} is another than when it was last listed or read, so "${subject.name}" did not run`,
        recovery: "read the state again, then call again if it is still wanted",
      }
    },
  }
}

/** Whether what a client was shown last is another than an entry. */
function isOther({ lists, names, services }: Known, name: string, entry: ToolEntry): boolean {
  const list = lists.findLast(({ things }) => things.has(name))
  const listed = list && { what: list.things.get(name), order: list.order }
  const one = names.get(name)
  const action = one !== undefined && one.order > (listed?.order ?? 0) ? one : listed
  const service = services.get(formatPath(entry.path))
  if (service !== undefined && service.order > (action?.order ?? 0)) return service.what !== entry.thing
  return action !== undefined && action.what !== toIdentity(entry)
}

/** An action is what it is by its service and its key: one name may come to stand for another action of one service. */
function toIdentity({ thing, key }: ToolEntry): string {
  return composeThing(thing, key)
}

/** Reads what the destructive ones of some tools lead to. Clients who are handed one page share what was read of it. */
function createReadThings() {
  const known = new WeakMap<
    readonly ToolDefinition[],
    { readonly at: number; readonly things: ReadonlyMap<string, string> }
  >()
  return (view: View, tools: readonly ToolDefinition[]): ReadonlyMap<string, string> => {
    const before = known.get(tools)
    const at = view.revision()
    if (before?.at === at) return before.things
    const things = new Map<string, string>()
    for (const { name, annotations } of tools) {
      if (annotations.destructiveHint !== true) continue
      const found = view.resolve(name)
      if (found.status !== "unknown") things.set(name, toIdentity(found.entry))
    }
    known.set(tools, { at, things })
    return things
  }
}

/** Values by key, of which the one put first is forgotten first. */
interface Recent<Value> {
  get(key: string): Value | undefined
  /** Puts a value last, and returns it. */
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
