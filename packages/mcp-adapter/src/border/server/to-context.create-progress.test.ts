import { describe, expect, it } from "vitest"
import { createProgress } from "./to-context.js"

describe("createProgress", () => {
  it("sends only growing progress, with the caller's token", () => {
    const sent: unknown[] = []
    const progress = createProgress({ notify: (...message) => void sent.push(message), log: () => {} }, "token")

    for (const done of [1, 1, 0, Number.NaN, Number.POSITIVE_INFINITY, 2]) progress({ progress: done, total: 2 })

    expect(sent).toEqual([
      ["notifications/progress", { progressToken: "token", progress: 1, total: 2 }],
      ["notifications/progress", { progressToken: "token", progress: 2, total: 2 }],
    ])
  })
  it("sends text as the message", () => {
    const sent: unknown[] = []
    const progress = createProgress({ notify: (...message) => void sent.push(message), log: () => {} }, 7)

    progress({ progress: 1, message: "answering", text: "Hails " })

    expect(sent).toEqual([["notifications/progress", { progressToken: 7, progress: 1, message: "Hails " }]])
  })
})
