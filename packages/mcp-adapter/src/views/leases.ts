import { AdapterError } from "../adapter-error.js"
import { type Cancel, type Host, startTimer } from "../runtime/host.js"

/** Values created on first use, shared while used, kept for a while afterwards, and limited in number. */
export interface Leases<Value> {
  /**
   * Takes a lease on an existing value, or creates one.
   *
   * @throws AdapterError `too_many_principals` if all places hold values in use.
   */
  take(key: string, create: () => Value): Lease<Value>
  /**
   * Keeps a key's value for at least some milliseconds, used or not. It may still be dropped when others need its place, so
   * that waiting values cannot fill all places.
   */
  keep(key: string, ms: number): void
  /** Returns a key's value, if any. */
  peek(key: string): Value | undefined
  /** Drops a value without closing it. The next `take` of its key creates another. */
  forget(key: string): void
  /** Closes every value, used or not. Idempotent. */
  close(): void
}

/** A lease on a value. */
export interface Lease<Value> {
  /** The value. */
  readonly value: Value
  /** Releases the value. Idempotent. */
  release(): void
}

/** Limits of leases. */
export interface LeasesOptions<Value> {
  /** The maximum of values. */
  readonly max: number
  /** Milliseconds that an unused value is kept. */
  readonly idleMs: number
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Closes a value. */
  readonly close: (value: Value) => void
}

interface Held<Value> {
  readonly value: Value
  readonly closed: () => void
  users: number
  /** The end of its guaranteed time, on the host's clock. */
  keptUntil: number
  cancelIdle: Cancel | undefined
}

/** Creates leases without values. */
export function createLeases<Value>(options: LeasesOptions<Value>): Leases<Value> {
  const { host, max, idleMs } = options
  // In order of last use: a released key moves to the end.
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
      `all ${max} places are in use: expected fewer principals and links in use at once, or a larger "principals.max"`,
      { code: "too_many_principals" },
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
