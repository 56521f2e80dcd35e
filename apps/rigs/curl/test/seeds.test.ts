import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const page = readFileSync(join(root, "docs", "seeds.md"), "utf8")

/** The page's abilities, each with its test's place and title. */
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

/** The titles of each place's tests, read once. */
const known = new Map<string, ReadonlySet<string>>()

function titlesOf(place: string): ReadonlySet<string> {
  const titles = known.get(place) ?? new Set(readTitles(join(root, folders[place] ?? `packages/${place}`)))
  known.set(place, titles)
  return titles
}

/** Returns the titles of the tests below a folder. */
function readTitles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : readTitles(path)
    if (!entry.name.endsWith(".test.ts")) return []
    // A requirement's id stands in brackets at the end of a title.
    const found = readFileSync(path, "utf8").matchAll(/\("((?:[^"\\]|\\.)*?)(?: \[[\w, -]+\])?"/g)
    return [...found].map(([, title = ""]) => title)
  })
}

describe("The page of earlier designs", () => {
  it("has every ability only once", () => {
    expect(new Set(abilities.map(({ ability }) => ability)).size).toBe(abilities.length)
    expect(abilities.length).toBeGreaterThan(50)
  })

  it.each(abilities)("names a test that there is for: $ability", ({ place, test }) => {
    expect([...titlesOf(place)]).toContain(test)
  })
})
