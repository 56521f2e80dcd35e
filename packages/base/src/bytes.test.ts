import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromBase64, isBytes, toBase64 } from "./bytes.js"

describe("fromBase64", () => {
  it("decodes encoded bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromBase64(toBase64(bytes))).toEqual(bytes)
      }),
    )
  })

  it("returns undefined for invalid text", () => {
    expect(fromBase64("no base64!")).toBeUndefined()
  })
})

describe("toBase64", () => {
  it("encodes like Node, at any length and offset", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(10), (bytes, offset) => {
        expect(toBase64(bytes.subarray(offset))).toBe(Buffer.from(bytes.subarray(offset)).toString("base64"))
      }),
      { numRuns: 500 },
    )
  })

  it("encodes megabytes", () => {
    const bytes = new Uint8Array(3_000_001).map((_, index) => index)

    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"))
  })
})

describe("isBytes", () => {
  it("holds for bytes, not for numbers", () => {
    expect([new Uint8Array(1), new ArrayBuffer(1), new SharedArrayBuffer(1), Buffer.from("a")].every(isBytes)).toBe(
      true,
    )
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect([new Float32Array(1), new Int8Array(1), [1], "a", null, proxy].some(isBytes)).toBe(false)
  })
})
