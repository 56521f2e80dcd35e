import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CLIENT_RULES } from "./client-rules.fixture.js"
import { anyKey, anyPath } from "./path.fixture.js"
import { createToolNamer, foldHyphens, foldToolName, type ToolNamer } from "./tool-name.js"

const nameOf = createToolNamer()

describe("createToolNamer", () => {
  it("keeps words unchanged and joins them", () => {
    expect(nameOf([], "add")).toEqual({ name: "add", encoded: false })
    expect(nameOf(["columns", "c1"], "add_card2")).toEqual({ name: "columns__c1__add_card2", encoded: false })
    expect(nameOf([], "remove_document")).toEqual({ name: "remove_document", encoded: false })
  })

  it.each([
    [["context7"], "resolve-library-id", "context7__resolve-library-id"],
    [["my-server"], "get-sum", "my-server__get-sum"],
    [[], "-a", undefined],
    [[], "a-", "a-"],
    [["a"], "-b--c-", "a__-b--c-"],
  ])("keeps the hyphens of %j and %j", (path, key, name) => {
    expect(nameOf(path, key).encoded ? undefined : nameOf(path, key).name).toBe(name)
  })

  it.each([
    [["everything"], "get-annotated-message-of-the-last-day", /^everything__get-anno_last-day_[0-9][0-9a-z]{8}$/],
    [["sequential-thinking"], "think about it for long", /^sequential-thinking__thin_ong_[0-9][0-9a-z]{8}$/],
    [["s".repeat(60)], "add", /^s{12,}_s{8,}__add_[0-9][0-9a-z]{8}$/],
  ])("keeps the first segment of %j and %j, and the ends of what is too long", (path, key, expected) => {
    expect(nameOf(path, key).name).toMatch(expected)
  })

  it("gives a displaced action a hash and as much of its name as fits", () => {
    expect(nameOf(["a"], "get-sum", true)).toEqual({ name: expect.stringMatching(/^a__get-sum_[0-9]/), encoded: true })
  })

  it("gives the same names in every release", () => {
    expect(nameOf([], "日本語").name).toBe("_7mgx8xh3r")
    expect(nameOf(["columns"], "add card").name).toBe("columns__add_card_63got4ofa")
  })

  it.each(["", "é", "a b", "a.b", "-a", "a__b", "_a", "a_", "2048", "\ud800", "__proto__", "a_1abcdefgh"])(
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
    expect(nameOf([], "a".repeat(200)).name).toMatch(/^a{14}_a{14}_[0-9][0-9a-z]{8}$/)
    expect(nameOf(["path"], "a".repeat(200)).name).toMatch(/^path__a{11}_a{11}_[0-9][0-9a-z]{8}$/)
  })

  it("gives no action a reserved name, or one equal to it after `-` → `_`", () => {
    const reserving = createToolNamer({ reserved: ["help_me"] })

    expect(["help_me", "help-me"].map((key) => reserving([], key).encoded)).toEqual([true, true])
    expect(reserving([], "wait_for").encoded).toBe(false)
    expect(reserving(["a"], "help")).toEqual({ name: "a__help", encoded: false })
  })

  it("uses another separator and another length", () => {
    const dotted = createToolNamer({ separator: ".", maxLength: 20 })

    expect(dotted(["child"], "heal").name).toBe("child.heal")
    expect(dotted(["child"], "heal_every_soldier").name).toMatch(/^child.h_r_[0-9][0-9a-z]{8}$/)
  })

  it("returns the name of the former length limit, if it differs", () => {
    const longer = createToolNamer({ maxLength: 48, formerMaxLength: 40 })
    const key = "trigger-long-running-operation"

    expect(longer(["everything"], key)).toEqual({
      name: `everything__${key}`,
      encoded: false,
      former: nameOf(["everything"], key).name,
    })
    expect(longer(["everything"], "echo")).toEqual({ name: "everything__echo", encoded: false })
  })

  it("encodes a key that contains the separator", () => {
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

  it("creates legal names within the length [tool-names]", () => {
    fc.assert(
      fc.property(anyPath(), anyKey(), fc.integer({ min: 20, max: 128 }), (path, key, maxLength) => {
        const { name } = createToolNamer({ maxLength })(path, key)

        expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]*$/)
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

  it.each(CLIENT_RULES)("creates different, legal names for $client", ({ rename, serverName, takes }) => {
    const action = fc.tuple(anyPath(), anyKey())
    const server = "s".repeat(serverName)

    fc.assert(
      fc.property(fc.uniqueArray(action, { maxLength: 30, selector: toId }), (actions) => {
        const shown = displace(actions, nameOf).map((name) => rename(server, name))

        expect(new Set(shown).size).toBe(actions.length)
        for (const name of shown) expect(name).toMatch(takes)
      }),
      { numRuns: 300 },
    )
  })

  it("creates different names after `-` → `_` and a cut at 64, with the greatest length that is not cut", () => {
    const action = fc.tuple(anyPath(), anyKey())

    fc.assert(
      fc.property(fc.uniqueArray(action, { maxLength: 30, selector: toId }), (actions) => {
        const long = createToolNamer({ maxLength: 64 })
        const shown = displace(actions, long).map((name) => name.replaceAll("-", "_").slice(0, 64))

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

  it("distinguishes names by letters and digits", () => {
    expect(foldToolName("add_1")).not.toBe(foldToolName("add_2"))
  })
})

/** Adds a hash to all but the first of names that are equal after `-` → `_`. */
function displace(actions: readonly (readonly [readonly string[], string])[], namer: ToolNamer): readonly string[] {
  const folds = new Set<string>()
  return actions.map(([path, key]) => {
    const { name } = namer(path, key)
    if (!folds.has(foldHyphens(name))) {
      folds.add(foldHyphens(name))
      return name
    }
    return namer(path, key, true).name
  })
}

/** Identifies an action. */
function toId([path, key]: readonly [readonly string[], string]): string {
  return JSON.stringify([...path, key])
}
