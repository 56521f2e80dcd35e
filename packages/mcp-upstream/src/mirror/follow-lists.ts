import type { Counted } from "../life/holdings.js"
import { isLoss, reasonOf, type Session } from "../life/session.js"
import type { Listed, UpstreamEvent, UpstreamLimits } from "../upstream.js"
import { type ListKind, type ListOutcome, listAll } from "./list-all.js"

/** Follows the lists of a server, however often it says that they have changed. */
export interface FollowedLists {
  /** Begins anew with a session: reads every list there is. @returns Settles once each was read, or could not be. */
  begin(session: Session): Promise<void>
  /** A list is said to have changed. */
  changed(kind: ListKind): void
  /** What was said to have changed has been read, or this has lasted long enough; `undefined` where nothing was. */
  caughtUp(): Promise<void> | undefined
  /** Reads the lists again that announce no changes and are old; `undefined` where there are none. */
  freshen(): Promise<void> | undefined
  /** Ends it. */
  close(): void
}

/** What following takes. */
export interface FollowOptions {
  /** What the server is held to. */
  readonly limits: UpstreamLimits
  /** Counts what is open. */
  readonly holdings: Counted
  /** Takes the items of a list; `undefined` where they could not be read. */
  put(kind: ListKind, items: readonly Listed[] | undefined): void
  /** Told what happens. */
  emit(event: UpstreamEvent): void
}

/** How long the answer of a call waits for the lists that its server said have changed, in milliseconds. */
const CATCH_UP_MS = 200

/** The least time between two readings of one list: a server that floods costs this much. */
const SPACING_MS = 100

const kinds: readonly ListKind[] = ["tools", "resources", "templates", "prompts"]

/** Nothing followed yet. */
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
      await Promise.all(kinds.map((kind) => (has(kind) ? readers.get(kind)?.begin() : options.put(kind, []))))
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

/** Reads one list; what is asked for while it reads is read once more afterwards, however often it was asked for. */
function createReader(kind: ListKind, options: FollowOptions, current: () => Session | undefined) {
  const { limits, holdings } = options
  const { took, failed } = createTaker(kind, options)
  let reading: Promise<void> | undefined
  let again = false
  let behind = false
  let readAt = Number.NEGATIVE_INFINITY
  let cancel = (): void => {}
  const abort = new AbortController()

  const once = async (session: Session): Promise<void> => {
    const over = holdings.open("calls")
    const bounds = { most: limits.items, timeoutMs: limits.requestMs, signal: abort.signal }
    await listAll(session.client, kind, bounds).then(
      (outcome) => current() === session && took(outcome),
      (cause: unknown) => current() === session && failed(session, cause),
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
    /** Reads it on a new session, once what was being read on the one before has ended. */
    async begin(): Promise<void> {
      while (reading !== undefined) await reading
      await read()
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

/** Takes what came of reading a list. */
function createTaker(kind: ListKind, { put, emit }: FollowOptions) {
  const told = (code: "malformed" | "list_endless" | "list_failed", message: string): void =>
    emit({ type: "diagnostic", code, message })
  return {
    took({ items, faults, endless }: ListOutcome): void {
      put(kind, items)
      for (const fault of faults) told("malformed", `${fault}: it is left out`)
      if (endless) told("list_endless", `its ${kind} do not end: ${items.length} of them are taken`)
    },
    failed(session: Session, cause: unknown): void {
      put(kind, undefined)
      if (isLoss(cause)) session.fail(reasonOf(cause))
      else told("list_failed", `its ${kind} could not be read: ${reasonOf(cause)}`)
    },
  }
}
