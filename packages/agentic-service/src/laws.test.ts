import fc from "fast-check"
import { BehaviorSubject, map, Observable, Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import { action, createAgenticService, type Observe, type Source, type State, source, state } from "./index.js"
import { liveMembersOf } from "./maps/live-map.js"
import type { States } from "./service.js"

/** An application's source, its possible deeds, and the truth about it. */
interface Played {
  readonly source: Source<unknown>
  /** Sets a value; during the emission, an earlier listener of the application sets `again`. */
  set(value: number, again?: number): void
  /** Announces a change in place. */
  mutate(): void
  /** Makes every read throw, until the next `set`. */
  break(): void
  /** Returns the value that a new subscriber would get, or `undefined` without one. */
  truth(): unknown
  /** Returns the number of our subscriptions. */
  held(): number
}

type Box = { value: number; changes: number }

/** Creates an ordered list of listeners, the application's own first. */
function createEmitter(reads: () => void) {
  const listeners = new Set<() => void>()
  let again: number | undefined
  return {
    listeners,
    emit(set: (value: number) => void, next?: number) {
      again = next
      const own = (): void => {
        const value = again
        again = undefined
        if (value !== undefined) set(value)
      }
      for (const listener of [own, ...listeners]) listener()
      reads()
    },
  }
}

/** Creates a store that is read, may throw, and holds an object changed in place. */
function playStore(): Played {
  let box: Box | undefined = { value: 0, changes: 0 }
  const emitter = createEmitter(() => {})
  const set = (value: number, again?: number): void => {
    box = { value, changes: 0 }
    emitter.emit(set, again)
  }
  const read = (): Box => {
    if (box === undefined) throw new Error("broken")
    return box
  }
  return {
    source: {
      getSnapshot: read,
      subscribe(listener: () => void) {
        emitter.listeners.add(listener)
        return () => void emitter.listeners.delete(listener)
      },
    },
    set,
    mutate() {
      if (box) box.changes += 1
      emitter.emit(set)
    },
    break() {
      box = undefined
      emitter.emit(set)
    },
    truth: () => box,
    held: () => emitter.listeners.size,
  }
}

/** Creates a subject behind a pipe, which cannot be read. */
function playPipe(): Played {
  const subject = new BehaviorSubject<Box | undefined>({ value: 0, changes: 0 })
  let again: number | undefined
  const set = (value: number, next?: number): void => {
    again = next
    subject.next({ value, changes: 0 })
  }
  subject.subscribe(() => {
    const value = again
    again = undefined
    if (value !== undefined) set(value)
  })
  const open = (box: Box | undefined): Box => {
    if (box === undefined) throw new Error("broken")
    return box
  }
  return {
    source: subject.pipe(map(open)),
    set,
    mutate() {
      if (subject.value) subject.value.changes += 1
      subject.next(subject.value)
    },
    break: () => subject.next(undefined),
    truth: () => subject.value,
    held: () => subject.observers.length,
  }
}

/** Creates a replaying observe function, like `@adobe/data`'s. */
function playObserve(): Played {
  let box: Box = { value: 0, changes: 0 }
  const notified = new Set<(box: Box) => void>()
  const emit = (value: Box): void => {
    // Each gets the value at the emission's start: after an emission within it, later ones get the newest value first.
    for (const notify of [...notified]) notify(value)
  }
  const set = (value: number, again?: number): void => {
    box = { value, changes: 0 }
    const told = box
    if (again !== undefined) set(again)
    emit(told)
  }
  const observe: Observe<Box> = (notify) => {
    notified.add(notify)
    notify(box)
    return () => void notified.delete(notify)
  }
  return {
    source: source.observe(observe),
    set,
    mutate() {
      box.changes += 1
      emit(box)
    },
    break: () => {},
    truth: () => box,
    held: () => notified.size,
  }
}

/** Creates a source without an immediate value, and counts its subscriptions. */
function playCold(): Played & { runs(): number } {
  const subject = new Subject<Box>()
  let box: Box | undefined
  let runs = 0
  const set = (value: number, again?: number): void => {
    box = { value, changes: 0 }
    subject.next(box)
    if (again !== undefined) set(again)
  }
  return {
    source: new Observable<Box>((subscriber) => {
      runs += 1
      box = undefined
      return subject.subscribe(subscriber)
    }),
    set,
    mutate() {
      if (!box) return
      box.changes += 1
      subject.next(box)
    },
    break: () => {},
    truth: () => box,
    held: () => (subject.observed ? 1 : 0),
    runs: () => runs,
  }
}

const step = fc.record({
  key: fc.constantFrom("store", "pipe", "observe", "cold"),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.record({ set: fc.nat(3), again: fc.option(fc.nat(3), { nil: undefined }) }) },
    { weight: 2, arbitrary: fc.constant("mutate" as const) },
    { weight: 1, arbitrary: fc.constant("break" as const) },
  ),
  rest: fc.boolean(),
})

describe("the laws of a source", () => {
  it("hold for any deeds of applications: at rest only the truth is shown, and in the end nothing is held", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const cold = playCold()
        const played: Readonly<Record<string, Played>> = {
          store: playStore(),
          pipe: playPipe(),
          observe: playObserve(),
          cold,
        }
        const states = Object.fromEntries(
          Object.entries(played).map(([key, { source }]) => [
            key,
            state({ schema: {}, value: source as Source<object> }),
          ]),
        )
        const service = createAgenticService({ name: "x", states })
        const told: string[] = []
        let map: States = {}
        const subscription = service.states.subscribe((newest) => {
          for (const key of Object.keys(played)) if (newest[key] !== map[key]) told.push(key)
          map = newest
        })
        const members = liveMembersOf<State>(service.states)
        const unfollow = members?.follow(() => {})

        for (const { key, what, rest } of steps) {
          const one = played[key]
          told.length = 0
          if (what === "mutate") one?.mutate()
          else if (what === "break") one?.break()
          else one?.set(what.set, what.again)
          // Only touched members are emitted.
          expect(told.filter((other) => other !== key)).toEqual([])
          if (!rest) continue
          await Promise.resolve()
          for (const [name, { truth }] of Object.entries(played)) {
            expect([name, map[name]?.value]).toEqual([name, truth()])
            expect([name, members?.find(name)?.value]).toEqual([name, truth()])
          }
          // A change in place is emitted, and so is an equal value: only the application knows the difference.
          if (what === "mutate" && one?.truth() !== undefined) expect(told).toContain(key)
        }
        expect(cold.runs()).toBe(1)
        subscription.unsubscribe()
        unfollow?.()
        expect(Object.values(played).map(({ held }) => held())).toEqual([0, 1, 0, 0])
      }),
      { numRuns: 300 },
    )
  })

  it("hold for conditions: at rest, exactly the visible actions may run", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), fc.option(fc.nat(3), { nil: undefined })), { maxLength: 15 }),
        async (sets) => {
          const { source, set, truth } = playPipe()
          const when = (source as Observable<Box>).pipe(map(({ value }) => value === 1))
          let ran = 0
          const run = (): void => {
            ran += 1
          }
          const go = action({ description: "Go", when, execute: run })
          const service = createAgenticService({ name: "x", actions: { go } })
          let keys: readonly string[] = []
          const subscription = service.actions.subscribe((actions) => (keys = Object.keys(actions)))

          for (const [value, again] of sets) {
            set(value, again)
            const holds = (truth() as Box).value === 1
            const before = ran
            // Right after the emission, before anything has settled.
            await service.execute("go", {})
            expect(ran - before).toBe(holds ? 1 : 0)
            expect(keys).toEqual(holds ? ["go"] : [])
          }
          subscription.unsubscribe()
        },
      ),
      { numRuns: 200 },
    )
  })
})
