import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ContextLimits, createContextStore, defaultContextLimits } from "./context-store.js"

function inFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "context-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "deep", "context.db")
}

function openStore(limits: Partial<ContextLimits> = {}, file = inFolder(), agent = "notes") {
  const store = createContextStore({ file, agent, limits: { ...defaultContextLimits, ...limits } })
  onTestFinished(store.close)
  return {
    ...store,
    file,
    textsOf: async (...asked: Parameters<typeof store.search>) =>
      (await store.search(...asked)).map(({ text }) => text),
  }
}

describe("createContextStore", () => {
  it("finds notes complete, in this process and the next", async () => {
    const { file, write, close } = openStore()
    const note = { title: "Tea", text: "Green tea steeps at 80 °C", tags: ["kitchen", "how to"] }
    const written = await write("ann", note)
    await close()

    const found = await openStore({}, file).search("ann", "steep")

    expect(found).toEqual([written])
    expect(written).toMatchObject({ ...note, agent: "notes", writtenAt: expect.stringMatching(/^\d{4}-.*Z$/) })
  })

  it("finds words by prefix, whatever their case, accents and place", async () => {
    const { write, textsOf } = openStore()
    await write(undefined, "The Café opens at nine")
    await write(undefined, "Nothing here")

    expect(await textsOf(undefined, "OPEN cafe")).toEqual(["The Café opens at nine"])
    expect(await textsOf(undefined, "afe")).toEqual([])
  })

  it("sorts the best match first: all words before some, and a title before a text", async () => {
    const { write, textsOf } = openStore()
    await write(undefined, { text: "of red apples" })
    await write(undefined, { title: "red", text: "a colour" })
    await write(undefined, { text: "apples and red pears and much else that is long" })

    expect((await textsOf(undefined, "red"))[0]).toBe("a colour")
    expect(await textsOf(undefined, "red apples")).toEqual([
      "of red apples",
      "apples and red pears and much else that is long",
    ])
    expect(await textsOf(undefined, "apples colour")).toHaveLength(3)
  })

  it("returns the newest first without words, up to the limit", async () => {
    const { write, textsOf } = openStore()
    for (const text of ["1", "2", "3"]) await write(undefined, text)

    expect(await textsOf(undefined, { limit: 2 })).toEqual(["3", "2"])
  })

  it("finds by tags, all of them and whole", async () => {
    const { write, textsOf } = openStore()
    await write(undefined, { text: "one", tags: ["a", "b"] })
    await write(undefined, { text: "two", tags: ["a"] })

    expect(await textsOf(undefined, { tags: ["a", "b"] })).toEqual(["one"])
    expect(await textsOf(undefined, { text: "one", tags: ["c"] })).toEqual([])
  })

  it("hides each principal's notes from the others, and those without a principal from all", async () => {
    const { write, textsOf } = openStore()
    for (const owner of ["ann", "bob", "", undefined]) await write(owner, `of ${owner}`)

    expect(await Promise.all(["ann", "bob", "", undefined].map((owner) => textsOf(owner, "of")))).toEqual([
      ["of ann"],
      ["of bob"],
      ["of "],
      ["of undefined"],
    ])
  })

  it("separates agents that share a file, unless everything is requested", async () => {
    const one = openStore()
    const other = openStore({}, one.file, "other")
    await one.write(undefined, "mine")
    await other.write(undefined, "yours")

    expect(await one.textsOf(undefined, {})).toEqual(["mine"])
    expect(await one.textsOf(undefined, { everyAgent: true })).toEqual(["yours", "mine"])
  })

  it.each([
    ["notes", { notes: 2 }, ["333", "222"]],
    ["bytes", { bytes: 12 }, ["333", "222"]],
    ["bytes of all", { allBytes: 15 }, ["333", "222"]],
  ])("drops only the writer's oldest notes beyond the limit of its %s", async (_name, limits, left) => {
    const { write, textsOf } = openStore(limits)
    await write("ann", "a")
    for (const text of ["111", "222", "333"]) await write("bob", text)

    expect(await textsOf("bob", {})).toEqual(left)
    expect(await textsOf("ann", {})).toEqual(["a"])
  })

  it("rejects a note that is too large or invalid, and stores nothing of it", async () => {
    const { write, textsOf } = openStore({ noteBytes: 10 })

    await expect(write(undefined, "€€€€")).rejects.toMatchObject({ code: "invalid_input" })
    // Untyped code may pass this.
    await expect(write(undefined, { text: 1 } as unknown as string)).rejects.toMatchObject({ code: "invalid_input" })
    expect(await textsOf(undefined, {})).toEqual([])
  })

  it("is readable by its owner only, including the files beside it", async () => {
    const { file, write } = openStore()
    await write(undefined, "secret")
    const folder = join(file, "..")
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)

    expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, ...modes.map(() => 0o600)])
    expect(modes.length).toBeGreaterThan(0)
  })

  it("reports that a file cannot be opened, and opens it once it can", async () => {
    const file = join(inFolder(), "..", "..", "broken.db")
    writeFileSync(file, "no database, and longer than the head of one would be: ".repeat(20))
    const { write, textsOf } = openStore({}, file)
    await expect(write(undefined, "a")).rejects.toThrow("cannot be opened")

    rmSync(file)
    await write(undefined, "b")
    chmodSync(file, 0o600)

    expect(await textsOf(undefined, {})).toEqual(["b"])
  })

  it("finds any note by any of its words, whatever the search and the note contain", async () => {
    const { write, search } = openStore()
    // SQLite treats characters added after Unicode 6.1 as part of the adjacent word.
    const apart = (said: string): string => said.replace(/[^\p{L}\p{N}\p{M}\p{ASCII}]/gu, " ")
    const text = fc.string({ unit: "grapheme", maxLength: 60 }).map(apart)

    await fc.assert(
      fc.asyncProperty(text, text, async (said, asked) => {
        const { id } = await write("ann", said)
        // No search text causes an error.
        await search("ann", { text: asked, limit: 1_000 })
        const words = said.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
        const found = await search("ann", { text: words.join(" "), limit: 1_000 })
        const newest = await search("ann", { limit: 1 })

        expect(newest[0]?.id).toBe(id)
        if (words.some((word) => /^[a-zA-Z0-9]+$/.test(word))) expect(found.map((entry) => entry.id)).toContain(id)
      }),
      { numRuns: 50 },
    )
  })
})
