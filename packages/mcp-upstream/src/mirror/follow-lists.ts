import { type ListKind, type ListOutcome, listAll } from "../definitions/list-all.js"
import type { Counted } from "../life/holdings.js"
import { isLoss, reasonOf, remedyOf, type Session } from "../life/session.js"
import type { Listed, UpstreamEvent, UpstreamLimits } from "../upstream.js"

/** Reads the lists of a server and rereads them when they change, at a limited rate. */
export interface FollowedLists {
  /** Reads every list on a new session. @returns Settles once each list is read or has failed. */
  begin(session: Session): Promise<void>
  /** Rereads lists on the current session: the given kinds, or all. Settles once they are read. */
  reread(kinds?: readonly ListKind[]): Promise<void>
  /** Rereads a list that the server reports as changed. */
  changed(kind: ListKind): void
  /** Settles once the changed lists are read, or after 200 ms. Returns `undefined` if none has changed. */
  caughtUp(): Promise<void> | undefined
  /** Rereads old lists that announce no changes. Returns `undefined` if there are none. */
  freshen(): Promise<void> | undefined
  /** Stops reading. */
  close(): void
}

/** Options of {@link followLists}. */
export interface FollowOptions {
  /** The limits of the server. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Receives the items of a list; `undefined` if it could not be read. */
  put(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Receives events. */
  emit(event: UpstreamEvent): void
}

/** How long a call's answer waits for the lists that its server reports as changed, in milliseconds. */
const CATCH_UP_MS = 200

/** The least milliseconds between two reads of one list, which bounds the cost of a server that floods. */
const SPACING_MS = 100

const kinds: readonly ListKind[] = ["tools", "resources", "templates", "prompts"]

/** Creates the reader of a server's lists. */
export function followLists(options: FollowOptions): FollowedLists {
  let session: Session | undefined
  const readers = new Map(kinds.map((kind) => [kind, createReader(kind, options, () => session)]))
  const announced = (kind: ListKind): boolean => {
    const capabilities = session?.client.getServerCapabilities()
    return capabilities?.[kind === "templates" ? "resources" : kind]?.listChanged === true
  }
  const has = (kind: ListKind): boolean =>
    session?.client.getServerCapabilities()?.[kind === "templates" ? "resources" : kind] !== undefined
  return {
    async begin(next) {
      session = next
      for (const kind of kinds) if (!has(kind)) options.put(kind, [])
      const refusals = await Promise.all(kinds.filter(has).map((kind) => readers.get(kind)?.begin()))
      // If every list is refused, the server is down until a person acts.
      const [refusal] = refusals
      if (refusal !== undefined && !refusals.includes(undefined)) next.fail(reasonOf(refusal.cause), refusal.cause)
    },
    async reread(wanted = kinds) {
      await Promise.all(wanted.filter(has).map((kind) => readers.get(kind)?.read()))
    },
    changed: (kind) => readers.get(kind)?.changed(),
    caughtUp() {
      const behind = [...readers.values()].filter((reader) => reader.isBehind())
      if (behind.length === 0) return undefined
      return new Promise((resolve) => {
        const cancel = options.holdings.after(CATCH_UP_MS, resolve)
        void Promise.all(behind.map((reader) => reader.caughtUp())).finally(() => {
          cancel()
          resolve()
        })
      })
    },
    freshen() {
      const old = kinds.filter((kind) => has(kind) && !announced(kind) && readers.get(kind)?.isOld())
      return old.length === 0
        ? undefined
        : Promise.all(old.map((kind) => readers.get(kind)?.read())).then(() => undefined)
    },
    close() {
      session = undefined
      for (const reader of readers.values()) reader.close()
    },
  }
}

/** The reason why a list cannot be read until a person acts. */
interface Refusal {
  readonly cause: unknown
}

/** Creates the reader of one list. Any number of requests during a read lead to one more read. */
function createReader(kind: ListKind, options: FollowOptions, current: () => Session | undefined) {
  const { limits, holdings } = options
  const { took, failed } = createTaker(kind, options)
  let reading: Promise<void> | undefined
  let again = false
  let behind = false
  let refusal: Refusal | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let cancel = (): void => {}
  const abort = new AbortController()

  const once = async (session: Session): Promise<void> => {
    const over = holdings.open("calls")
    const bounds = { most: limits.items, timeoutMs: limits.requestMs, signal: abort.signal }
    refusal = undefined
    await listAll(session.client, kind, bounds).then(
      (outcome) => current() === session && took(outcome),
      (cause: unknown) => {
        if (remedyOf(cause) !== undefined) refusal = { cause }
        if (current() === session) failed(session, cause)
      },
    )
    over()
    readAt = Date.now()
  }
  const read = (): Promise<void> => {
    const session = current()
    if (session === undefined) return Promise.resolve()
    again = reading !== undefined
    reading ??= once(session).finally(() => {
      reading = undefined
      if (again) space()
      else behind = false
    })
    return reading
  }
  const space = (): void => {
    again = false
    reading = new Promise((resolve) => {
      cancel = holdings.after(SPACING_MS, resolve)
    })
    void reading.then(() => {
      reading = undefined
      return read()
    })
  }
  return {
    read,
    /** Reads the list on a new session, once any read on the former has ended. Resolves with the refusal, if any. */
    async begin(): Promise<Refusal | undefined> {
      while (reading !== undefined) await reading
      await read()
      return refusal
    },
    changed(): void {
      behind = current() !== undefined
      void read()
    },
    isBehind: () => behind,
    async caughtUp(): Promise<void> {
      while (behind && reading !== undefined) await reading
    },
    isOld: () => Date.now() - readAt > limits.staleMs,
    close() {
      again = false
      behind = false
      cancel()
      abort.abort()
    },
  }
}

/** Creates the function that handles the outcome of reading a list. */
function createTaker(kind: ListKind, { put, emit }: FollowOptions) {
  const told = (code: "malformed" | "list_endless" | "list_failed", message: string): void =>
    emit({ type: "diagnostic", code, message })
  return {
    took({ items, faults, endless }: ListOutcome): void {
      put(kind, items)
      for (const fault of faults) told("malformed", `${fault}: it is left out`)
      if (endless) told("list_endless", `its ${kind} do not end: the first ${items.length} are used`)
    },
    failed(session: Session, cause: unknown): void {
      put(kind, undefined)
      if (isLoss(cause)) session.fail(reasonOf(cause))
      else told("list_failed", `its ${kind} could not be read: ${reasonOf(cause)}`)
    },
  }
}
