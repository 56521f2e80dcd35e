import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CLIENT_RULES } from "./client-rules.fixture.js"
import { anyKey, anyPath } from "./path.fixture.js"
import { BUILT_IN_NAMES, createToolNamer, foldToolName } from "./tool-name.js"

const nameOf = createToolNamer()

describe("createToolNamer", () => {
  it("keeps words as they are and joins them", () => {
    expect(nameOf([], "add")).toEqual({ name: "add", encoded: false })
    expect(nameOf(["columns", "c1"], "add_card2")).toEqual({ name: "columns__c1__add_card2", encoded: false })
    expect(nameOf([], "remove_document")).toEqual({ name: "remove_document", encoded: false })
  })

  it("gives the same names in every release", () => {
    expect(nameOf([], "日本語").name).toBe("_7mgx8xh3r")
    expect(nameOf(["columns"], "add card").name).toBe("columns__add_card_63got4ofa")
  })

  it.each(["", "é", "a b", "a.b", "a-b", "a__b", "_a", "a_", "2048", "\ud800", "__proto__", "a_1abcdefgh"])(
    "encodes %j",
    (key) => {
      const { name, encoded } = nameOf([], key)

      expect(encoded).toBe(true)
      expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*_[0-9][0-9a-z]{8}$|^_[0-9][0-9a-z]{8}$/)
    },
  )

  it("shortens the path and keeps the action when both are too long", () => {
    const { name, encoded } = nameOf(["workspaces", "engineering", "boards", "roadmap"], "rename_column")

    expect(encoded).toBe(true)
    expect(name).toMatch(/^workspaces__en__rename_column_[0-9][0-9a-z]{8}$/)
  })

  it("cuts an action that is too long by itself", () => {
    expect(nameOf(["path"], "a".repeat(200)).name).toMatch(/^a{29}_[0-9][0-9a-z]{8}$/)
  })

  it("gives no action a built-in or reserved name", () => {
    const reserving = createToolNamer({ reserved: ["help"] })

    expect([...BUILT_IN_NAMES, "help"].map((key) => reserving([], key).encoded)).not.toContain(false)
    expect(reserving(["a"], "help")).toEqual({ name: "a__help", encoded: false })
  })

  it("takes another separator and another budget", () => {
    const dotted = createToolNamer({ separator: ".", maxLength: 20 })

    expect(dotted(["child"], "heal").name).toBe("child.heal")
    expect(dotted(["child"], "heal_every_soldier").name).toMatch(/^heal_ever_[0-9][0-9a-z]{8}$/)
  })

  it("encodes a key that holds the separator", () => {
    const underscored = createToolNamer({ separator: "_" })

    expect(underscored(["a"], "b").name).toBe("a_b")
    expect(underscored([], "a_b").encoded).toBe(true)
  })

  it.each([{ separator: "" }, { separator: "ab" }, { maxLength: 19 }, { maxLength: Number.NaN }])(
    "refuses %j",
    (options) => {
      expect(() => createToolNamer(options)).toThrow(RangeError)
    },
  )

  it("gives legal names within the budget [tool-names]", () => {
    fc.assert(
      fc.property(anyPath(), anyKey(), fc.integer({ min: 20, max: 128 }), (path, key, maxLength) => {
        const { name } = createToolNamer({ maxLength })(path, key)

        expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
        expect(name.length).toBeLessThanOrEqual(maxLength)
      }),
      { numRuns: 2000 },
    )
  })

  it.each(["__", "_", "-", "."])(
    "never gives two actions one name, with separator %j [tool-names-unique]",
    (separator) => {
      const named = createToolNamer({ separator })
      const action = fc.tuple(anyPath(), anyKey())

      fc.assert(
        fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
          const distinct = new Set(actions.map(([path, key]) => JSON.stringify([...path, key])))
          expect(new Set(actions.map(([path, key]) => named(path, key).name)).size).toBe(distinct.size)
        }),
        { numRuns: 1000 },
      )
    },
  )

  it.each(CLIENT_RULES)("keeps names apart, and legal, in $client", ({ rename, serverName, takes }) => {
    const action = fc.tuple(anyPath(), anyKey())
    const server = "s".repeat(serverName)

    fc.assert(
      fc.property(fc.uniqueArray(action, { maxLength: 30, selector: toId }), (actions) => {
        const shown = actions.map(([path, key]) => rename(server, nameOf(path, key).name))

        expect(new Set(shown).size).toBe(actions.length)
        for (const name of shown) expect(name).toMatch(takes)
      }),
      { numRuns: 300 },
    )
  })

  it("keeps names apart after - has become _ and they are cut at 64, with the longest budget that leaves them whole", () => {
    const action = fc.tuple(anyPath(), anyKey())

    fc.assert(
      fc.property(fc.uniqueArray(action, { maxLength: 30, selector: toId }), (actions) => {
        const long = createToolNamer({ maxLength: 64 })
        const shown = actions.map(([path, key]) => long(path, key).name.replaceAll("-", "_").slice(0, 64))

        expect(new Set(shown).size).toBe(actions.length)
      }),
      { numRuns: 1000 },
    )
  })
})

describe("foldToolName", () => {
  it.each([
    ["app__items__add", "app_itemsAdd"],
    ["undo-it", "undoIt"],
  ])("makes one of %j and %j", (one, other) => {
    expect(foldToolName(one)).toBe(foldToolName(other))
  })

  it("keeps apart what letters and digits keep apart", () => {
    expect(foldToolName("add_1")).not.toBe(foldToolName("add_2"))
  })
})

/** The same for the same action only. */
function toId([path, key]: readonly [readonly string[], string]): string {
  return JSON.stringify([...path, key])
}
