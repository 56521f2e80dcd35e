import type { Failure } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import equal from "fast-deep-equal"
import type { ToolEntry } from "../catalogue/entry.js"
import { formatPath, type Path } from "../names/path.js"
import type { View } from "../views/view.js"
import type { ActiveCall } from "./active-call.js"
import type { CallContext } from "./call-context.js"

/**
 * Knows which things each client has last listed or read, so that a destructive call under a name that leads elsewhere by now is
 * asked about. Bounded: of a client that is forgotten, or has looked at nothing, nothing is known, and nothing is asked for it.
 */
export interface Acquaintance {
  /** Notes that a client was handed the list of a view as it is now. */
  listed(view: View, client: Client): void
  /** Notes that a client was told what stands behind the service at a path, by its states or in words. */
  saw(view: View, client: Client, path: Path): void
  /** Whether an entry's name led to another thing when the client last listed, and the client has not been told of this one. */
  isStale(call: Pick<ActiveCall, "view" | "context">, entry: ToolEntry): boolean
  /** The failure of such a call where nobody can be asked. It tells the client, so the next call is not stale. */
  refuse(call: Pick<ActiveCall, "view" | "context" | "subject">, entry: ToolEntry): Failure
}

/** A client as it is told from others. */
type Client = Pick<CallContext, "client" | "session">

/** What one client knows of one view. */
interface Known {
  /** The view when the client listed it last; absent before it has. */
  listed?: Listed
  /** The things of services it was told of, by path. */
  readonly told: Recent<string>
}

/** A view as it was listed. */
interface Listed {
  readonly view: WeakRef<View>
  readonly revision: number
  /** The things on the way to where the view's names hold. */
  readonly root: readonly string[] | undefined
}

/** How many clients are known, and of how many services of each is known what they were told. */
const MEMORY = { clients: 5_000, services: 200 }

/** Creates a memory of clients that have seen nothing yet. */
export function createAcquaintance(): Acquaintance {
  const clients = createRecent<Known>(MEMORY.clients)
  const keyOf = (view: View, { client, session }: Client): string => composeThing(session ?? client, ...view.at)
  const know = (view: View, client: Client): Known => {
    const key = keyOf(view, client)
    return clients.put(key, clients.get(key) ?? { told: createRecent(MEMORY.services) })
  }
  const saw = (view: View, client: Client, path: Path): void => {
    const thing = view.way(path)?.things.at(-1)
    if (thing !== undefined) know(view, client).told.put(formatPath(path), thing)
  }
  return {
    listed(view, client) {
      know(view, client).listed = {
        view: new WeakRef(view),
        revision: view.revision(),
        root: view.way(view.at)?.things,
      }
    },
    saw,
    isStale({ view, context }, entry) {
      if (entry.definition.annotations.destructiveHint !== true) return false
      const known = clients.get(keyOf(view, context))
      if (known?.listed === undefined || known.told.get(formatPath(entry.path)) === entry.thing) return false
      return isOther(known.listed, view, entry)
    },
    refuse({ view, context, subject }, entry) {
      saw(view, context, entry.path)
      const place = entry.path.length === 0 ? "the application" : `"${formatPath(entry.path)}"`
      return {
        ok: false,
        code: "changed",
        message: `${place} is another than when the tools were last listed, so "${subject.name}" did not run`,
        recovery: "read the state again, then call again if it is still wanted",
      }
    },
  }
}

/** Whether an entry's name leads to another thing than when the view was listed. */
function isOther({ root, ...listed }: Listed, view: View, entry: ToolEntry): boolean {
  if (!equal(root, view.way(view.at)?.things)) return true
  return listed.view.deref() === view && view.occupiedSince(entry.name) > listed.revision
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
