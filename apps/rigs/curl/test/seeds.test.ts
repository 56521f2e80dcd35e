import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const page = readFileSync(join(root, "docs", "seeds.md"), "utf8")

/** The abilities of the page, each with where its test is, and what that is called. */
const abilities = page
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .filter(([start, , place]) => start === "" && place !== undefined && !["where", "---"].includes(place))
  .map(([, ability = "", place = "", test = ""]) => ({ ability, place, test }))

const folders: Readonly<Record<string, string>> = {
  "agents-rig": "apps/rigs/agents",
  chat: "apps/chat",
  curl: "apps/rigs/curl",
}

/** What the tests of a place are called. */
function titlesOf(place: string): readonly string[] {
  const folder = join(root, folders[place] ?? `packages/${place}`)
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
  // A requirement's id stands in brackets at the end of a title.
  return files.flatMap((text) =>
    [...text.matchAll(/\("((?:[^"\\]|\\.)*?)(?: \[[\w, -]+\])?"/g)].map(([, title = ""]) => title),
  )
}

describe("The page of earlier designs", () => {
  it("has every ability only once", () => {
    expect(new Set(abilities.map(({ ability }) => ability)).size).toBe(abilities.length)
    expect(abilities.length).toBeGreaterThan(50)
  })

  it.each(abilities)("names a test that there is for: $ability", ({ place, test }) => {
    expect(titlesOf(place)).toContain(test)
  })
})
