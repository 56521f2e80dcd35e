import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { deviations } from "./requirements/deviations.js"
import { requirements } from "./requirements.js"

/** A test name that ends with the ids it proves: `"lists in one order [tools-order]"`. */
const CITING = /"(?:[^"\\\n]|\\.)* \[([a-z0-9-]+(?:, [a-z0-9-]+)*)\]",/g

/** A path on modelcontextprotocol.io that contains the revision's date, or the proposal of an extension. */
const CLAUSE = /^\/(specification\/20\d\d-\d\d-\d\d\/[a-z/-]+(#[a-z-]+)?|seps\/\d+-[a-z-]+)$/

const root = join(import.meta.dirname, "../../..")
const ids = requirements.map(({ id }) => id)
const citations = findTests().flatMap(readCitations)

describe("requirements", () => {
  it("each have an id, a clause of a dated revision, and a sentence", () => {
    expect(new Set(ids).size).toBe(ids.length)
    for (const { id, clause, says } of requirements) {
      expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(clause).toMatch(CLAUSE)
      expect(says).toMatch(/^[A-Z].+\.$/)
    }
  })

  it("are followed except for listed deviations", () => {
    for (const { clause, says } of deviations) {
      expect(clause).toMatch(CLAUSE)
      expect(says).toMatch(/SHOULD/)
      expect(says).not.toMatch(/MUST/)
    }
  })

  it("are all proven", () => {
    const proven = new Set(citations.map(({ id }) => id))

    expect(requirements.filter(({ id }) => !proven.has(id))).toEqual([])
  })

  it("include everything that tests cite", () => {
    const known = new Set(ids)

    expect(citations.filter(({ id }) => !known.has(id))).toEqual([])
  })
})

/** Reads the sources of all tests of our serving. */
function findTests(): readonly string[] {
  return [
    "packages/tool-schemas/src",
    "packages/tool-schemas/test",
    "packages/mcp-adapter/src",
    "packages/mcp-adapter/test",
    ...appFolders(),
  ].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => join(folder, file)),
  )
}

/** Returns the applications' test folders. */
function appFolders(): readonly string[] {
  return ["apps", "apps/rigs"].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((app) =>
      readdirSync(join(root, parent, app))
        .filter((folder) => folder === "src" || folder === "test")
        .map((folder) => join(parent, app, folder)),
    ),
  )
}

function readCitations(file: string): readonly { readonly file: string; readonly id: string }[] {
  const source = readFileSync(join(root, file), "utf8")
  return [...source.matchAll(CITING)].flatMap(([, cited = ""]) => cited.split(", ").map((id) => ({ file, id })))
}
