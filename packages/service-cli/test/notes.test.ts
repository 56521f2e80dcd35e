import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { run, runInShell, start } from "./start.js"

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "notes-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "context.db")
}

/** Returns the notes that a process reported as written. */
const toldBy = ({ stdout }: { readonly stdout: string }): readonly string[] =>
  stdout
    .slice(0, stdout.lastIndexOf("\n") + 1)
    .trimEnd()
    .split("\n")

describe("notes of killed processes", () => {
  it("are complete if they were reported as written, and the next process continues", async () => {
    const path = file()
    // Two processes write at once, and each is killed in the middle, again and again.
    for (const round of [1, 2, 3]) {
      const writers = ["ann", "bob"].map((name) => start("noteTaker", path, `${name}${round}`))
      await Promise.all(writers.map((writer, index) => writer.says(new RegExp(`(?:.*\n){${7 * round + 5 * index}}`))))
      for (const writer of writers) writer.kill("SIGKILL")
      const told = await Promise.all(writers.map(async (writer) => toldBy(await writer.ended)))

      for (const [index, name] of ["ann", "bob"].entries()) {
        const { code, stdout, stderr } = await run("noteTaker", path, `${name}${round}`, "count")

        expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
        expect(JSON.parse(stdout)).toEqual(expect.arrayContaining([...(told[index] ?? [])]))
      }
    }
  })
})

describe("notes on a full disk", () => {
  it("are complete if they were reported as written, and the next call names the reason", async () => {
    const path = file()
    // Its files may reach 256 kB.
    const { code, stdout, stderr } = await runInShell('ulimit -f 512; exec "$0" "$@"', "noteTaker", path, "ann")

    expect(code).not.toBe(0)
    expect(stderr).toContain(`the context store "${path}" cannot be written, so the note was not kept: `)
    expect(stderr).not.toMatch(/rollback/i)
    const told = toldBy({ stdout })
    expect(told.length).toBeGreaterThan(2)
    const next = await run("noteTaker", path, "ann", "count")
    expect(next).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse(next.stdout)).toEqual(expect.arrayContaining([...told]))
  })
})
