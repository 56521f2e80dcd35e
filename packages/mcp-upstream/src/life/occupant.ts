import { type Abortable, newThing, type Occupancy } from "@x/agentic-service/adapter"
import { createDeferred, type Deferred } from "@x/mcp-adapter/binding"
import equal from "fast-deep-equal"
import { Subject } from "rxjs"
import type { ListKind } from "../mirror/list-all.js"
import type { Listed } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { Session } from "./session.js"

/**
 * The identity of what an upstream stands for: a number for each connection. A connection keeps the number of the one before if
 * the server calls itself the same and has the same definitions; otherwise another server has taken its place.
 */
export interface Occupant extends Occupancy {
  /** Begins with a session, whose server is unknown until {@link Occupant.identify}. */
  begin(session: Session): void
  /** Whether the server of the newest session is known. */
  isIdentified(): boolean
  /** Takes in the items of a list of the newest session; `undefined` if they could not be read. */
  note(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Identifies the newest session by its lists. Returns whether another server has taken the place of the one before. */
  identify(session: Session): boolean
  /** Resolves with what a session stands for, once it is identified; rejects if it ends or `signal` aborts before. */
  of(session: Session, signal: Abortable): Promise<string>
  /** Whether a connection beside the newest session reaches the same server: it calls itself the same and has the same tools. */
  isSame(session: Session, tools: readonly Listed[]): boolean
  /** Completes the changes. */
  close(): void
}

/** What tells one server from another. */
interface Face {
  /** What it says it is. */
  readonly server: unknown
  /** Its definitions, by list and key. Resources are not among them: they are what it has, not what it is. */
  readonly definitions: Readonly<Partial<Record<ListKind, Readonly<Record<string, Listed>>>>>
}

/** Creates the identity of an upstream that was never connected; its first connection keeps it. */
export function createOccupant(): Occupant {
  const changes = new Subject<void>()
  const known = new WeakMap<Session, string>()
  const awaited = new WeakMap<Session, Deferred<string>>()
  let thing = newThing()
  let former: Face | undefined
  let definitions: Face["definitions"] = {}
  let identified = false

  const toFace = (session: Session): Face => ({ server: session.client.getServerVersion(), definitions })
  return {
    current: () => thing,
    changes: changes.asObservable(),
    begin(session) {
      awaited.set(session, createDeferred<string>())
      definitions = {}
      identified = false
    },
    isIdentified: () => identified,
    note(kind, items) {
      if (kind !== "resources" && items !== undefined) definitions = { ...definitions, [kind]: byKey(kind, items) }
      // What the same connection tells of leaves it the same server.
      if (identified && former !== undefined) former = { ...former, definitions }
    },
    identify(session) {
      const face = toFace(session)
      const replaced = former !== undefined && !equal(former, face)
      if (replaced) thing = newThing()
      former = face
      identified = true
      known.set(session, thing)
      awaited.get(session)?.resolve(thing)
      if (replaced) changes.next()
      return replaced
    },
    async of(session, signal) {
      const identity = known.get(session) ?? awaited.get(session)?.promise
      if (identity === undefined) throw new UpstreamError("unreachable", "its server is not known")
      return typeof identity === "string" ? identity : within(session, signal, identity)
    },
    isSame: (session, tools) =>
      equal(former?.server, session.client.getServerVersion()) &&
      equal(former?.definitions.tools, byKey("tools", tools)),
    close: () => changes.complete(),
  }
}

/** Takes in lists once it is known whose they are: until then what is shown stays as it is. */
export interface Arrivals {
  /** Begins with a session. */
  begin(session: Session): void
  /** Takes in a list, or keeps it until its server is known. */
  put(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Its lists were read: takes in what was kept. */
  identify(session: Session, parts: readonly { replace(): void }[]): void
}

/** Creates what takes in lists; `put` shows them. */
export function createArrivals({
  occupant,
  put,
}: {
  readonly occupant: Occupant
  readonly put: Arrivals["put"]
}): Arrivals {
  const kept = new Map<ListKind, readonly Listed[] | undefined>()
  return {
    begin(session) {
      kept.clear()
      occupant.begin(session)
    },
    put(kind, items) {
      occupant.note(kind, items)
      if (occupant.isIdentified()) put(kind, items)
      else kept.set(kind, items)
    },
    identify(session, parts) {
      if (occupant.identify(session)) for (const part of parts) part.replace()
      for (const [kind, items] of kept) put(kind, items)
      kept.clear()
    },
  }
}

function byKey(kind: ListKind, items: readonly Listed[]): Readonly<Record<string, Listed>> {
  return Object.fromEntries(items.map((item) => [String(item[kind === "templates" ? "uriTemplate" : "name"]), item]))
}

/** Waits for an identity, for as long as there is the session and somebody who wants to know. */
async function within(session: Session, signal: Abortable, identity: Promise<string>): Promise<string> {
  if (signal.aborted) throw signal.reason
  const { promise: stopped, reject } = createDeferred<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener("abort", stop)
  const lost = session.lost.then((reason) => {
    throw new UpstreamError("unreachable", reason)
  })
  try {
    return await Promise.race([identity, lost, stopped])
  } finally {
    signal.removeEventListener("abort", stop)
    lost.catch(() => undefined)
  }
}
