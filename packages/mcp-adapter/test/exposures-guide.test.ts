import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { knownClients } from "../src/known-clients/known-clients.js"

const guide = readFileSync(new URL("../../../docs/guides/choosing-an-exposure.md", import.meta.url), "utf8")

describe("The guide to exposures", () => {
  it("lists the clients with data, and the conclusions from these", () => {
    const rows = knownClients.map(({ title, version, listsAgain, toolCap, exposure, evidence, checked }) => {
      const name = version === undefined ? title : `${title} ${version}`
      const shown = toolCap === undefined ? `\`${exposure}\`` : `\`${exposure}\`, above \`meta\``
      return [name, listsAgain, String(toolCap ?? ""), shown, evidence, checked]
    })

    expect(rowsOf("| client | lists again when notified |")).toEqual(rows)
  })

  it("lists the known facts about names and schemas", () => {
    const rows = knownClients
      .filter(({ nameRules, schemas }) => nameRules !== undefined || schemas !== undefined)
      .map(({ title, nameRules = "", schemas = "" }) => [title, nameRules, schemas])

    expect(rowsOf("| client | names | schemas |")).toEqual(rows)
  })
})

/** Returns the cells of a table by its head, without the head. */
function rowsOf(head: string): string[][] {
  const [, table = ""] = guide.split(head)
  const rows = table.slice(0, table.indexOf("\n\n")).split("\n").slice(2)
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
