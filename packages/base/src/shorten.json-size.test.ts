import { describe, expect, it } from "vitest"
import { jsonSize } from "./shorten.js"

describe("jsonSize", () => {
  it.each<[unknown, number]>([
    [{ a: "b" }, 9],
    [null, 4],
    [undefined, 0],
    [() => {}, 0],
  ])("counts the characters of %j", (value, size) => {
    expect(jsonSize(value)).toBe(size)
  })

  it("does not count circular, binary or unreadable values", () => {
    const circular: unknown[] = []
    circular.push(circular)
    const broken = {
      get value() {
        throw new Error("broken")
      },
    }

    expect([circular, { data: new Uint8Array(3) }, 1n, broken].map(jsonSize)).toEqual(Array(4).fill(undefined))
  })
})
