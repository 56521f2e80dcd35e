import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const page = readFileSync(join(root, "SECURITY.md"), "utf8")

/** The promises of the page, each with its test files and the test titles that it quotes. */
const promises = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| promise ") && !line.startsWith("| ---"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, promise = "", proof = ""]) => ({
    promise,
    files: [...proof.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = ""]) => file),
    titles: [...proof.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
  }))

/** Returns the path of a test file. The page names the adapter's files without their package. */
function toPlace(file: string): string {
  const [whole, short] = [join(root, file), join(root, "packages", "mcp-adapter", file)]
  return existsSync(short) ? short : whole
}

/** Returns a pattern for a test's title, in which `…` matches the values of a parameterized test. */
function toPattern(title: string): RegExp {
  const parts = title.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(parts.join("[^\\n]*"))
}

describe("SECURITY.md", () => {
  it("makes promises, each once", () => {
    expect(promises.length).toBeGreaterThan(20)
    expect(new Set(promises.map(({ promise }) => promise)).size).toBe(promises.length)
  })

  it.each(promises)("names tests that there are for: $promise", ({ files, titles }) => {
    const places = files.map(toPlace)
    const text = places.map((place) => readFileSync(place, "utf8")).join("\n")

    expect(files).not.toEqual([])
    for (const title of titles) expect(text).toMatch(toPattern(title))
  })
})
