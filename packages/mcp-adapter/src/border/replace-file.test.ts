import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { replaceFile } from "./replace-file.js"

/** Creates a folder that is deleted after the test. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "replace-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const built = import.meta.resolve("../../dist/bundle/replace-file.js")
const stopper = new URL("../../test/support/stop-at-step.mjs", import.meta.url).href

/** Replaces a file in a child process that fails at a given step; returns its output and the signal that ended it. */
function replaceAndStop(file: string, env: { readonly STOP_AT: string; readonly STOP_HOW: "kill" | "full" }) {
  const code = `import { replaceFile } from ${JSON.stringify(built)}
    try { replaceFile(${JSON.stringify(file)}, "new ".repeat(50)); console.log("replaced") }
    catch (error) { console.log(error.code) }`
  const args = ["--import", stopper, "--input-type=module", "--eval", code]
  const { stdout, signal } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, ...env, STOP_IN: join(file, "..") },
  })
  return { said: stdout.trim(), signal }
}

describe("replaceFile", () => {
  // The steps: 1 open, 2 write, 3 flush, 4 rename, 5 done.
  it.each([1, 2, 3, 4])("keeps the old text if the process is killed before step %d", (at) => {
    const file = join(makeFolder(), "kept.json")
    writeFileSync(file, "old")

    const { signal } = replaceAndStop(file, { STOP_AT: String(at), STOP_HOW: "kill" })

    expect(signal).toBe("SIGKILL")
    expect(readFileSync(file, "utf8")).toBe("old")
  })

  it("has written the new text if the process is killed afterwards", () => {
    const file = join(makeFolder(), "kept.json")
    writeFileSync(file, "old")

    const { signal } = replaceAndStop(file, { STOP_AT: "5", STOP_HOW: "kill" })

    expect(signal).toBe("SIGKILL")
    expect(readFileSync(file, "utf8")).toBe("new ".repeat(50))
  })

  it.each([1, 2, 3, 4])("fails with the reason and changes nothing if the disk is full at step %d", (at) => {
    const folder = makeFolder()
    const file = join(folder, "kept.json")
    writeFileSync(file, "old")

    expect(replaceAndStop(file, { STOP_AT: String(at), STOP_HOW: "full" }).said).toBe("ENOSPC")

    expect(readdirSync(folder)).toEqual(["kept.json"])
    expect(readFileSync(file, "utf8")).toBe("old")
  })

  it("keeps a file's mode and the symbolic link to it", () => {
    const folder = makeFolder()
    const [file, link] = [join(folder, "kept.json"), join(folder, "link.json")]
    writeFileSync(file, "old")
    chmodSync(file, 0o640)
    symlinkSync(file, link)

    replaceFile(link, "new")

    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["new", 0o640])
  })

  it("creates a file with the given mode", () => {
    const file = join(makeFolder(), "kept.json")

    replaceFile(file, "new", { mode: 0o600 })

    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it("leaves no temporary file if the name belongs to a folder", () => {
    const folder = makeFolder()
    mkdirSync(join(folder, "taken"))

    expect(() => replaceFile(join(folder, "taken"), "new")).toThrow(expect.objectContaining({ code: "EISDIR" }))

    expect(readdirSync(folder)).toEqual(["taken"])
  })

  it("fails if the folder does not exist", () => {
    const file = join(makeFolder(), "none", "kept.json")

    expect(() => replaceFile(file, "new")).toThrow(expect.objectContaining({ code: "ENOENT" }))
    expect(existsSync(file)).toBe(false)
  })
})
