import { Subject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Diagnostic } from "../runtime/diagnostic.js"
import { mergeNotices, type ServerNotice } from "./extension.js"

function merged() {
  const own = new Subject<ServerNotice>()
  const further = new Subject<ServerNotice>()
  const seen: string[] = []
  const reported: Diagnostic[] = []
  mergeNotices(own, further, (diagnostic) => void reported.push(diagnostic)).subscribe({
    next: ({ kind }) => void seen.push(kind),
    error: () => void seen.push("failed"),
    complete: () => void seen.push("complete"),
  })
  return { own, further, seen, reported }
}

describe("mergeNotices", () => {
  it("passes on both", () => {
    const { own, further, seen } = merged()

    own.next({ kind: "tools" })
    further.next({ kind: "prompts" })

    expect(seen).toEqual(["tools", "prompts"])
  })

  it("ends with ours", () => {
    const { own, further, seen } = merged()

    own.complete()

    expect(seen).toEqual(["complete"])
    expect(further.observed).toBe(false)
  })

  it("continues when the extension's end", () => {
    const { own, further, seen } = merged()

    further.complete()
    own.next({ kind: "tools" })

    expect(seen).toEqual(["tools"])
  })

  it("reports to the operator and continues when the extension's fail", () => {
    const { own, further, seen, reported } = merged()

    further.error(new Error("broken"))
    own.next({ kind: "tools" })

    expect(seen).toEqual(["tools"])
    expect(reported).toMatchObject([{ code: "source_failed" }])
  })
})
