import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { recordLaws } from "@x/records/laws"
import { describe, expect, it, onTestFinished } from "vitest"
import { createLibsqlRecords } from "./libsql-records.js"

const MARKS = { name: "marks", ttlMs: 60_000, full: "refuse" } as const

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "records-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "deep", "records.db")
}

function open(file: string) {
  const store = createLibsqlRecords({ file, pollMs: 5 })
  onTestFinished(store.close)
  return store
}

describe("createLibsqlRecords", () => {
  it.each(recordLaws.map(({ name, check }) => [name, check] as const))("%s", async (_, check) => {
    const file = newFile()
    await expect(check({ store: open(file), other: open(file) })).resolves.toBeUndefined()
  })

  it("keeps records, their revisions and their times for the next process", async () => {
    const file = newFile()
    const store = open(file)
    const made = await store.collection<number>(MARKS).create("key", 1, { owner: "ann" })
    await store.close()

    expect(await open(file).collection<number>(MARKS).read("key")).toEqual(made)
  })

  it("is readable by its owner only, including the files beside it", async () => {
    const file = newFile()
    await open(file).collection<string>(MARKS).create("key", "secret")
    const folder = join(file, "..")
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)

    expect([statSync(folder).mode & 0o777, ...modes]).toEqual([0o700, ...modes.map(() => 0o600)])
    expect(modes.length).toBeGreaterThan(0)
  })

  it.each([{ file: 5 }, { file: "f", pollMs: 0 }, { file: "f", poll: 9 }])(
    "refuses impossible options: %j",
    (options) => {
      // Untyped code may pass these.
      expect(() => createLibsqlRecords(options as unknown as { file: string })).toThrow(
        expect.objectContaining({ code: "invalid" }),
      )
    },
  )

  it("fails as unavailable while its file cannot be opened, and works once it can", async () => {
    const file = newFile()
    const folder = join(file, "..")
    writeFileSync(folder, "a file where the folder should be")
    const marks = open(file).collection<number>(MARKS)
    await expect(marks.create("key", 1)).rejects.toMatchObject({ code: "unavailable" })
    await expect(marks.create("key", 1)).rejects.toThrow(`the record store "${file}" cannot be used`)

    rmSync(folder)

    expect(await marks.create("key", 1)).toMatchObject({ value: 1 })
  })
})
