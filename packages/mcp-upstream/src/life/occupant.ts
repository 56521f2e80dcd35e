import { type Abortable, newThing, type Occupancy } from "@x/agentic-service/adapter"
import { createDeferred, type Deferred } from "@x/base"
import equal from "fast-deep-equal"
import { Subject } from "rxjs"
import type { ListKind } from "../definitions/list-all.js"
import type { Listed, UpstreamLimits } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import type { Keeper } from "./keep-connected.js"
import type { Session } from "./session.js"

/**
 * The identity of the server behind an upstream: a number for each connection. A new connection keeps the number if its server
 * reports the same name and the same definitions; otherwise another server has taken its place.
 */
export interface Occupant extends Occupancy {
  /** Starts a session, whose server is unknown until {@link Occupant.identify}. */
  begin(session: Session): void
  /** Returns whether the newest session's server is identified. */
  isIdentified(): boolean
  /** Records a list of the newest session; `undefined` if it could not be read. */
  note(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Identifies the newest session by its lists. Returns whether another server has taken the place of the one before. */
  identify(session: Session): boolean
  /** Resolves with the identity of a session's server. Rejects if the session ends or `signal` aborts first. */
  of(session: Session, signal: Abortable): Promise<string>
  /** Returns whether an additional connection reaches the same server as the newest session: same name, same tools. */
  isSame(session: Session, tools: readonly Listed[]): boolean
  /** Completes the changes. */
  close(): void
}

/** The properties by which servers are told apart. */
interface Face {
  /** The server's name and version, as it reports them. */
  readonly server: unknown
  /** The definitions, by list and key. Resources are excluded, since they are data. */
  readonly definitions: Readonly<Partial<Record<ListKind, Readonly<Record<string, Listed>>>>>
}

/** Creates the identity of an upstream that never connected; its first connection keeps it. */
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
      // Later lists on the same connection do not make it another server.
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
      if (identity === undefined) throw new UpstreamError("its server is unknown", { code: "unreachable" })
      return typeof identity === "string" ? identity : within(session, signal, identity)
    },
    isSame: (session, tools) =>
      equal(former?.server, session.client.getServerVersion()) &&
      equal(former?.definitions.tools, byKey("tools", tools)),
    close: () => changes.complete(),
  }
}

/** Holds lists back until their server is identified, so that the shown members stay until then. */
export interface Arrivals {
  /** Starts a session. */
  begin(session: Session): void
  /** Shows a list, or holds it back until its server is identified. */
  put(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Identifies the server, once all lists are read, and shows the lists that were held back. */
  identify(session: Session, parts: readonly { replace(): void }[]): void
}

/** Creates the queue of lists; `put` shows them. */
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

/**
 * Creates a function that reconnects a lost server at once, and waits until its members are shown or the attempt has failed.
 */
export function createRevive(
  keeper: Pick<Keeper, "wake" | "session" | "status">,
  occupant: Pick<Occupant, "of">,
  { connectMs }: UpstreamLimits,
): (signal: Abortable) => Promise<void> {
  return async (signal) => {
    keeper.wake()
    // The attempt starts when this task ends.
    await Promise.resolve()
    if (["waiting", "down", "closed"].includes(keeper.status.value.state)) return
    try {
      await occupant.of(await keeper.session(connectMs, signal, true), signal)
    } catch {
      // The status holds the reason.
    }
  }
}

function byKey(kind: ListKind, items: readonly Listed[]): Readonly<Record<string, Listed>> {
  return Object.fromEntries(items.map((item) => [String(item[kind === "templates" ? "uriTemplate" : "name"]), item]))
}

/** Waits for an identity until the session ends or `signal` aborts. */
async function within(session: Session, signal: Abortable, identity: Promise<string>): Promise<string> {
  if (signal.aborted) throw signal.reason
  const { promise: stopped, reject } = createDeferred<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener("abort", stop)
  const lost = session.lost.then((reason) => {
    throw reason
  })
  try {
    return await Promise.race([identity, lost, stopped])
  } finally {
    signal.removeEventListener("abort", stop)
    lost.catch(() => undefined)
  }
}
