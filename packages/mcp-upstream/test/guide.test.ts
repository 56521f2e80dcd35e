import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

const GUIDE = new URL("../../../docs/guides/use-us-as-a-gateway.md", import.meta.url)
const [, section = ""] = readFileSync(GUIDE, "utf8").split("## What crosses the gateway")

/** The rows of both tables, each with its test files and the titles that it quotes. */
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (of a server|does not cross|---)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, what = "", how = "", proof = ""]) => ({
    what,
    how,
    proofs: proof.split(";").map((each) => ({
      file: /`([a-z-]+\.test\.ts)`/.exec(each)?.[1] ?? "",
      titles: [...each.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
    })),
  }))

/** Returns a pattern for a test's title, in which `…` matches the values of a parameterized test. */
function toPattern(title: string): RegExp {
  const parts = title.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(parts.join("[^\\n]*"))
}

describe("the guide's tables of what crosses a gateway and what does not", () => {
  it("have rows, each about something else", () => {
    expect(rows.length).toBeGreaterThan(20)
    expect(new Set(rows.map(({ what }) => what)).size).toBe(rows.length)
  })

  it.each(rows)("quote tests that there are: $what", ({ how, proofs }) => {
    expect(how).not.toBe("")
    for (const { file, titles } of proofs) {
      const text = readFileSync(new URL(file, import.meta.url), "utf8")
      for (const title of titles) expect(text).toMatch(toPattern(title))
    }
  })
})
