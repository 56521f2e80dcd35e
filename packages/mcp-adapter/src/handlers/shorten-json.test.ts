import type { JsonValue } from "@x/base"
import { describe, expect, it } from "vitest"
import { shortenJson } from "./shorten-json.js"

describe("shortenJson", () => {
  it("walks JSON without anything to cut only once, at any excess", () => {
    let walks = 0
    const members: JsonValue = new Proxy(Object.fromEntries(Array.from({ length: 500 }, (_, id) => [`k${id}`, id])), {
      ownKeys(target) {
        walks += 1
        return Reflect.ownKeys(target)
      },
    })

    expect(shortenJson(members, 1_000)).toBeUndefined()
    expect(walks).toBe(1)
  })

  it("keeps as much as fits", () => {
    const shorter = shortenJson({ list: [1, 2, 3, 4, 5, 6, 7, 8], text: "x" }, 30)

    expect(shorter).toEqual({ json: { list: [1, 2, 3], text: "x" }, cuts: ["/list to the first 3 of 8 items"] })
  })
})
