import { BehaviorSubject, of } from "rxjs"
import { describe, expect, it } from "vitest"
import { createAgenticService, type Source, state } from "../index.js"
import type { MemberFailure } from "../service.js"

/** Serves a state's value, and collects the reports about it. */
function serve(value: unknown): { readonly served: boolean; readonly failures: readonly MemberFailure[] } {
  // Sources of untyped applications.
  const service = createAgenticService({
    name: "x",
    states: { s: state({ schema: {}, value: value as Source<object> }) },
  })
  const failures: MemberFailure[] = []
  service.failures.subscribe((failure) => failures.push(failure))
  let served = false
  service.states.subscribe((map) => {
    served = "s" in map
  })
  service.close()
  return { served, failures }
}

/** The shape that Svelte compiles a class with runes to. */
class Runes {
  #todos: readonly string[] = []
  get todos() {
    return this.#todos
  }
  set todos(todos) {
    this.#todos = todos
  }
}

class Derived {
  readonly #size = 1
  get size() {
    return this.#size
  }
}

const signal = { peek: () => 1, subscribe: () => () => {} }

describe("a constant that contains changing values", () => {
  it.each<[string, unknown, string]>([
    [
      "a ref of Vue in an object",
      { todos: { __v_isRef: true, value: [] } },
      'at "/todos" in a value that never changes, found a ref',
    ],
    ["a signal in an object", { deep: { count: signal } }, 'at "/deep/count"'],
    ["a store in a list", [{ getState: () => 1, subscribe: () => () => {} }], 'at "/0"'],
    ["an observable", { todos$: new BehaviorSubject([]) }, 'at "/todos$"'],
    ["a promise", { later: Promise.resolve(1) }, 'at "/later"'],
    ["a signal of Angular", { count: Object.assign(() => 1, { [Symbol("SIGNAL")]: {} }) }, "found a signal of Angular"],
    ["a signal of Solid", { count: (() => 1).bind(undefined) }, "found a bound function"],
    ["a source and its writer", { source: () => 1, next: () => {} }, "holds only functions"],
    ["a source in an object", { board: { todos: () => [] }, title: "x" }, 'at "/board"'],
    ["an emitter", { bus: new EventTarget() }, 'at "/bus"'],
    ["an instance of a class with runes", new Runes(), "Svelte's runes"],
    ["one in an object", { model: new Runes() }, 'at "/model"'],
    ["an instance that shows nothing", new Derived(), "fields are accessors"],
  ])("is left out with what to write: %s", (_, value, words) => {
    const { served, failures } = serve(value)

    expect(served).toBe(false)
    expect(failures).toEqual([
      { kind: "state", key: "s", cause: expect.objectContaining({ code: "invalid_definition" }) },
    ])
    expect(String(failures[0]?.cause)).toContain(words)
  })

  it.each<[string, unknown]>([
    ["plain data", { a: [1, { b: null }], on: true }],
    ["methods", { title: "x", format: () => "x" }],
    ["what holds itself", ((self: Record<string, unknown>) => Object.assign(self, { self }))({})],
    [
      "dates, maps, bytes and files",
      { a: new Date(0), b: new Map([[1, 2]]), c: new Uint8Array(2), d: new Blob(["x"]) },
    ],
    ["the host's classes", { url: new URL("http://localhost"), query: new URLSearchParams("a=1") }],
    [
      "an instance with fields and a getter",
      new (class {
        title = "x"
        get upper() {
          return this.title.toUpperCase()
        }
      })(),
    ],
    ["very many parts", Array.from({ length: 50_000 }, (_, id) => ({ id }))],
    ["very deep", Array.from({ length: 20_000 }).reduce<object>((inner) => ({ inner }), {})],
  ])("serves %s", (_, value) => {
    expect(serve(value)).toEqual({ served: true, failures: [] })
  })

  it("is accepted from a source, whose proxies may read as data", () => {
    expect(serve(of({ todos: { __v_isReactive: true } })).served).toBe(true)
  })
})
