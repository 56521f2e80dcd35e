import { runInNewContext } from "node:vm"
import { createTypedBuffer } from "@adobe/data/typed-buffer"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { knownJson, toJson } from "./to-json.js"

/** The array replacement of some libraries. */
class Bag {
  readonly #items: readonly number[]
  constructor(items: readonly number[]) {
    this.#items = items
  }
  [Symbol.iterator](): Iterator<number> {
    return this.#items.values()
  }
}

const refused = (unserializable: string) => ({ unserializable })

describe("toJson", () => {
  it.each<[string, unknown, unknown]>([
    ["undefined", undefined, null],
    ["minus zero", -0, 0],
    ["a bigint", 12345678901234567890n, "12345678901234567890"],
    ["half a character", { "a\ud83d": ["b\udead", "🙂"] }, { "a\ufffd": ["b\ufffd", "🙂"] }],
    ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["a map with string keys", new Map([["__proto__", 1]]), JSON.parse('{"__proto__":1}')],
    [
      "another map",
      new Map<unknown, unknown>([
        [1, "a"],
        ["b", undefined],
      ]),
      [
        [1, "a"],
        ["b", null],
      ],
    ],
    ["headers", new Headers({ a: "b" }), { a: "b" }],
    ["the parameters of a URL", new URLSearchParams("a=1&b=2"), { a: "1", b: "2" }],
    [
      "a parameter that is there twice",
      new URLSearchParams("a=1&a=2"),
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
    ["a map with a property of its own", Object.assign(new Map([["a", 1]]), { more: 2 }), { a: 1 }],
    ["a map of another realm", runInNewContext("new Map([['a', new Set([1])]])"), { a: [1] }],
    ["an error of another realm", runInNewContext("new TypeError('no')"), { name: "TypeError", message: "no" }],
    ["an array of another realm", runInNewContext("[{ a: [1] }]"), [{ a: [1] }]],
    ["a list of a class of its own", new Bag([1, 2]), [1, 2]],
    ["an instance that shows nothing", new (class Empty {})(), {}],
    ["a set", new Set(["a", new Set([1])]), ["a", [1]]],
    ["numbers", new Float32Array([1, 0.5, Number.NaN]), [1, 0.5, refused("NaN")]],
    ["big numbers", new BigInt64Array([1n]), ["1"]],
    ["bytes", new Uint8Array([0, 255, 16]), "AP8Q"],
    ["a part of a buffer", new DataView(new Uint8Array([1, 2, 3]).buffer, 1, 1), "Ag=="],
    ["a buffer", new Uint8Array([1, 2]).buffer, "AQI="],
    ["a Node buffer", Buffer.from("hi"), "aGk="],
    ["an error", new RangeError("no", { cause: "secret" }), { name: "RangeError", message: "no" }],
    ["a boxed number", new Number(1), 1],
    ["toJSON", { toJSON: () => ({ a: new Set([1]) }) }, { a: [1] }],
    ["a URL", new URL("http://a/b"), "http://a/b"],
    ["a hole in an array", new Array(1), [null]],
    ["an undefined property", { a: undefined, b: 1 }, { b: 1 }],
    ["a symbol key", { [Symbol("s")]: 1, b: 1 }, { b: 1 }],
  ])("writes %s", (_, value, json) => {
    expect(toJson(value)).toStrictEqual(json)
  })

  it.each<[string, unknown]>([
    ["NaN", Number.NaN],
    ["-Infinity", Number.NEGATIVE_INFINITY],
    ["function", () => 1],
    ["symbol", Symbol("secret")],
    ["invalid date", new Date(Number.NaN)],
    ["Blob", new Blob(["a"])],
    ["RegExp", /a/],
    ["Promise", Promise.resolve(1)],
    ["WeakMap", new WeakMap()],
    ["Response", new Response("a")],
    ["Request", new Request("http://a")],
    ["AbortSignal", new AbortController().signal],
    ["Intl.NumberFormat", new Intl.NumberFormat("en")],
    ["Map Iterator", new Map([[1, 2]]).entries()],
  ])("gives %s as a reason and keeps what is beside it", (reason, value) => {
    expect(toJson({ value, kept: 1 })).toEqual({ value: refused(reason), kept: 1 })
  })

  it("writes an instance's visible content, and nothing of its class", () => {
    class Point {
      x = 1
      #secret = 2
      get sum(): number {
        return this.x + this.#secret
      }
    }

    expect(toJson(new Point())).toEqual({ x: 1 })
  })

  it("reads a typed buffer of @adobe/data element by element", () => {
    const buffer = createTypedBuffer({ type: "number", precision: 1 }, [1, 2, 3])

    expect(toJson({ buffer })).toEqual({ buffer: [1, 2, 3] })
  })

  it("marks a cycle where it closes, and writes a repeated value twice", () => {
    const shared = { a: 1 }
    const cyclic: Record<string, unknown> = { one: shared, two: shared }
    cyclic["self"] = [cyclic]
    cyclic["map"] = new Map([["back", cyclic]])

    expect(toJson(cyclic)).toEqual({
      one: shared,
      two: shared,
      self: [refused("circular")],
      map: { back: refused("circular") },
    })
  })

  it("replaces a value that throws, without the error's text", () => {
    const throwing = {
      get getter(): unknown {
        throw new Error("secret")
      },
      toJson: {
        toJSON() {
          throw new Error("secret")
        },
      },
      ...{ revoked: revokedProxy() },
      kept: 1,
    }

    expect(toJson({ revoked: revokedProxy(), kept: 1 })).toEqual({ revoked: refused("threw"), kept: 1 })
    expect(toJson(Object.create(null, Object.getOwnPropertyDescriptors(throwing)))).toEqual({
      getter: refused("threw"),
      toJson: refused("threw"),
      revoked: refused("threw"),
      kept: 1,
    })
  })

  it("stops at the depth limit", () => {
    let deep: unknown = 0
    for (let level = 0; level < 100_000; level += 1) deep = [deep]

    expect(JSON.stringify(toJson(deep))).toBe(`${"[".repeat(100)}{"unserializable":"too deep"}${"]".repeat(100)}`)
    expect(toJson([[1], 2], { maxDepth: 1 })).toEqual([refused("too deep"), 2])
  })

  it("stops at the size limit, even for endless iterations", () => {
    const endless = {
      get next(): unknown {
        return [endless.next2(), endless.next2()]
      },
      next2: () =>
        Object.create(endless, { next: { get: () => [endless.next2(), endless.next2()], enumerable: true } }),
    }

    expect(toJson([1, 2, 3, 4], { maxValues: 3 })).toEqual([1, 2, refused("too large")])
    expect(JSON.stringify(toJson(endless, { maxValues: 1000 })).length).toBeLessThan(100_000)
    expect(toJson(new Array(4_000_000_000), { maxValues: 10 })).toHaveLength(10)
  })

  it("returns a value that survives a round trip through JSON, for any input [outputs-clean]", () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      stringUnit: "binary",
    })

    fc.assert(
      fc.property(anything, fc.boolean(), (value, cyclic) => {
        if (cyclic && typeof value === "object" && value !== null) tie(value)
        const json = toJson(value)

        expect(JSON.parse(JSON.stringify(json))).toStrictEqual(json)
      }),
      { numRuns: 2000 },
    )
  })
})

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Makes a value contain itself. */
function tie(value: object): void {
  if (value instanceof Map) value.set(value, value)
  else if (value instanceof Set) value.add(value)
  else if (!ArrayBuffer.isView(value)) Reflect.set(value, "0", value)
}

describe("knownJson", () => {
  it("is returned by toJson unchanged when not nested", () => {
    const json = knownJson({ list: [1, { deep: null }] })

    expect(toJson(json)).toBe(json)
    expect(toJson({ json })).toEqual({ json })
    expect([knownJson(1), knownJson(null)]).toEqual([1, null])
  })
})
