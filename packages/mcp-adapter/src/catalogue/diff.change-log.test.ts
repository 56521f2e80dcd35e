import { describe, expect, it } from "vitest"
import { createChangeLog } from "./diff.js"
import type { StateEntry } from "./entry.js"

const change = (revision: number) => ({
  revision,
  tools: new Map(),
  states: new Map(),
  links: new Map(),
  // Only the key matters.
  values: new Map([[`uri${revision}`, { kind: "state", uri: `uri${revision}` } as StateEntry]]),
})

describe("createChangeLog", () => {
  it("returns the changes since a revision, as far as it remembers them", () => {
    const log = createChangeLog(10)
    for (let revision = 1; revision <= 1_000; revision += 1) {
      log.add(change(revision))
      const oldest = Math.max(0, revision - 10)

      expect([...(log.since(oldest)?.values.keys() ?? [])]).toEqual(
        Array.from({ length: revision - oldest }, (_, index) => `uri${oldest + index + 1}`),
      )
      expect(log.since(oldest - 1)).toBeUndefined()
    }
  })

  it("keeps the newest change, however large", () => {
    const log = createChangeLog(0)

    log.add(change(1))

    expect([...(log.since(0)?.values.keys() ?? [])]).toEqual(["uri1"])
  })
})
