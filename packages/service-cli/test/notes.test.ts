import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { run, start } from "./start.js"

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "notes-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "context.db")
}

/** The notes that a process said were written. */
const toldBy = ({ stdout }: { readonly stdout: string }): readonly string[] =>
  stdout
    .slice(0, stdout.lastIndexOf("\n") + 1)
    .trimEnd()
    .split("\n")

describe("notes of processes that are killed", () => {
  it("are all there that were told as written, whenever it was, and the next process goes on", async () => {
    const path = file()
    // Of two that write at once, each is killed in the middle of it, again and again.
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
