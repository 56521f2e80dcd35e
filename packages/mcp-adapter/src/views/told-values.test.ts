import { action, createAgenticService, state } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject, map } from "rxjs"
import { describe, expect, it } from "vitest"
import { contextWith } from "../calls/serve.fixture.js"
import { createRig } from "../catalogue/catalogue.fixture.js"
import type { StateEntry } from "../catalogue/entry.js"
import { answer } from "../handlers/answer.fixture.js"

const LIST = { type: "array", items: { type: "object" } } as const

/** Creates a to-do list whose items are changed in place, and its view. */
function createTodos() {
  const todos$ = new BehaviorSubject([{ text: "a", done: false }])
  const todos = state({ description: "To do", schema: LIST, value: todos$ })
  const rig = createRig(createAgenticService({ name: "todo", states: { todos } }))
  const view = rig.view()
  const [{ uri }] = view.snapshot().states as [StateEntry]
  const updates: string[] = []
  view.notices.subscribe((notice) => notice.kind === "updated" && updates.push(notice.uri))
  /** Emits, then advances the clock by the notice window. */
  const emit = (value: { text: string; done: boolean }[]): void => {
    todos$.next(value)
    rig.clock.endTask()
    rig.clock.advance(50)
  }
  return { ...rig, view, todos$, uri, updates, emit }
}

describe("a state's known value", () => {
  it("differs once an item was changed in place and emitted in a new list", () => {
    const { view, todos$, uri, updates, emit } = createTodos()
    view.watch([uri])

    const [first] = todos$.value
    if (first) first.done = true
    emit([...todos$.value])

    expect(updates).toEqual([uri])
  })

  it("differs once it was changed in place and emitted as the same object", () => {
    const { view, todos$, uri, updates, emit } = createTodos()
    view.watch([uri])

    todos$.value.push({ text: "b", done: false })
    emit(todos$.value)

    expect(updates).toEqual([uri])
  })

  it("stays when an equal value, or the same object, is emitted", () => {
    const { view, todos$, uri, updates, emit } = createTodos()
    view.watch([uri])

    emit([{ text: "a", done: false }])
    emit(todos$.value)

    expect(updates).toEqual([])
  })

  it("stays when a value changed and returned between two notices", () => {
    const { view, uri, updates, clock, todos$ } = createTodos()
    view.watch([uri])

    todos$.next([])
    todos$.next([{ text: "a", done: false }])
    clock.endTask()

    expect(updates).toEqual([])
  })

  it("differs for a watcher of everything, without an earlier encoding", () => {
    const { view, uri, updates, emit } = createTodos()
    view.watch("all")

    emit([])

    expect(updates).toEqual([uri])
  })

  it("differs for a watcher, even if another reader has read it already", () => {
    const { view, todos$, uri, updates, emit } = createTodos()
    view.watch([uri])
    const [first] = todos$.value
    if (first) first.done = true

    const entry = view.state(uri)
    if (entry) view.noteRead(entry, [{ text: "a", done: true }])
    emit([...todos$.value])
    emit([...todos$.value])

    expect(updates).toEqual([uri])
  })

  it("is announced for one slice of a store and no other, by notice and catch-up", async () => {
    const store$ = new BehaviorSubject({ a: { n: 0 }, b: { n: 0 }, c: { n: 0 } })
    const slice = (key: "a" | "b" | "c") =>
      state({ description: key, schema: { type: "object" }, value: store$.pipe(map((store) => ({ ...store[key] }))) })
    const bump = action({
      description: "Counts b",
      execute: () => store$.next({ ...store$.value, b: { n: store$.value.b.n + 1 } }),
    })
    const states = { a: slice("a"), b: slice("b"), c: slice("c") }
    const service = createAgenticService({ name: "s", states, actions: { bump } })
    const { request } = answer(service, { catchUp: true })

    const result = await request("tools/call", { name: "bump" }, contextWith())

    expect(JSON.stringify(result)).toContain("changed states: b")
    expect(JSON.stringify(result)).not.toMatch(/changed states: [^"]*[ac]\b(?!n)/)
  })

  it("is announced exactly when a watcher may hold another encoding, whatever is emitted", () => {
    const item = fc.record({ text: fc.constantFrom("a", "b"), done: fc.boolean() })
    const step = fc.oneof(
      fc.record({ kind: fc.constant("emit" as const), value: fc.array(item, { maxLength: 3 }) }),
      fc.record({
        kind: fc.constantFrom("mutate" as const, "again" as const, "read" as const),
        value: fc.constant([]),
      }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { view, todos$, uri, updates, emit } = createTodos()
        view.watch([uri])
        let known = new Set([JSON.stringify(todos$.value)])
        for (const { kind, value } of steps) {
          const before = updates.length
          if (kind === "read") {
            const entry = view.state(uri)
            if (entry) view.noteRead(entry, JSON.parse(JSON.stringify(todos$.value)))
            known.add(JSON.stringify(todos$.value))
            continue
          }
          if (kind === "emit") emit(structuredClone(value))
          else {
            const [first] = todos$.value
            if (kind === "mutate" && first) first.done = !first.done
            emit(kind === "mutate" ? [...todos$.value] : todos$.value)
          }
          const now = JSON.stringify(todos$.value)
          expect(updates.length - before).toBe([...known].every((one) => one === now) ? 0 : 1)
          known = new Set([now])
        }
      }),
      { numRuns: 200 },
    )
  })
})
