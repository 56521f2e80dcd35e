import { AdapterError } from "../adapter-error.js"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** Things made on first use, shared while used, kept for a while after, and bounded in number. */
export interface Leases<Value> {
  /**
   * Takes a lease, on what is there or on what `create` makes.
   *
   * @throws AdapterError `too_many_principals` when all places are taken by values in use.
   */
  take(key: string, create: () => Value): Lease<Value>
  /**
   * Keeps the value under a key for at least some milliseconds from now, used or not. One that is needed for others may go all the
   * same, so that nobody can fill all places with values that only wait.
   */
  keep(key: string, ms: number): void
  /** The value under a key, where there is one. */
  peek(key: string): Value | undefined
  /** Gives up a value without closing it, so that the next to take the key gets another. */
  forget(key: string): void
  /** Closes every value, used or not; idempotent. */
  close(): void
}

/** The use of a value. */
export interface Lease<Value> {
  /** The value. */
  readonly value: Value
  /** Gives it back; idempotent. */
  release(): void
}

/** How leases are bounded. */
export interface LeasesOptions<Value> {
  /** The most values at once. */
  readonly max: number
  /** How long an unused value is kept, in milliseconds. */
  readonly idleMs: number
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Closes a value. */
  readonly close: (value: Value) => void
}

interface Held<Value> {
  readonly value: Value
  readonly closed: () => void
  users: number
  /** Until when it is kept, on the host's clock. */
  keptUntil: number
  cancelIdle: Cancel | undefined
}

/** Creates the places, with none taken yet. */
export function createLeases<Value>(options: LeasesOptions<Value>): Leases<Value> {
  const { host, max, idleMs } = options
  // In order of last use: a key is put at the end whenever it is given back.
  const all = new Map<string, Held<Value>>()

  const drop = (key: string, held: Held<Value>): void => {
    all.delete(key)
    held.cancelIdle?.()
    held.closed()
    options.close(held.value)
  }
  const makeRoom = (): void => {
    if (all.size < max) return
    const unused = [...all].find(([, held]) => held.users === 0)
    if (unused !== undefined) return void drop(...unused)
    throw new AdapterError(
      "too_many_principals",
      `all ${max} places are in use: expected fewer principals and links in use at once, or a larger "principals.max"`,
    )
  }
  const rest = (key: string, held: Held<Value>): void => {
    if (all.get(key) !== held) return
    all.delete(key)
    all.set(key, held)
    const wait = Math.max(idleMs, held.keptUntil - host.clock.now())
    const stop = startTimer(host, wait, () => drop(key, held))
    held.cancelIdle = () => {
      stop()
      held.cancelIdle = undefined
    }
  }

  return {
    take(key, create) {
      let held = all.get(key)
      if (held === undefined) {
        makeRoom()
        held = { value: create(), closed: host.ledger.open("view"), users: 0, keptUntil: 0, cancelIdle: undefined }
        all.set(key, held)
      }
      held.cancelIdle?.()
      held.users += 1
      return toLease(held, (unused) => rest(key, unused))
    },
    keep(key, ms) {
      const held = all.get(key)
      if (held !== undefined) held.keptUntil = Math.max(held.keptUntil, host.clock.now() + ms)
    },
    peek: (key) => all.get(key)?.value,
    forget(key) {
      const held = all.get(key)
      all.delete(key)
      held?.cancelIdle?.()
      held?.closed()
    },
    close() {
      for (const [key, held] of all) drop(key, held)
    },
  }
}

function toLease<Value>(held: Held<Value>, onUnused: (held: Held<Value>) => void): Lease<Value> {
  let released = false
  return {
    value: held.value,
    release() {
      if (released) return
      released = true
      held.users -= 1
      if (held.users === 0) onUnused(held)
    },
  }
}
