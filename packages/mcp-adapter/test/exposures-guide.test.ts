import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { knownClients } from "../src/exposures/known-clients.js"

const guide = readFileSync(new URL("../../../docs/guides/choosing-an-exposure.md", import.meta.url), "utf8")

describe("The guide to exposures", () => {
  it("has the clients that there are data for, with what follows from these", () => {
    const rows = knownClients.map(({ title, version, listsAgain, toolCap, exposure, evidence, checked }) => {
      const name = version === undefined ? title : `${title} ${version}`
      const shown = toolCap === undefined ? `\`${exposure}\`` : `\`${exposure}\`, above \`meta\``
      return [name, listsAgain, String(toolCap ?? ""), shown, evidence, checked]
    })

    expect(rowsOf("| client | lists again when told |")).toEqual(rows)
  })

  it("has what is known of names and schemas", () => {
    const rows = knownClients
      .filter(({ nameRules, schemas }) => nameRules !== undefined || schemas !== undefined)
      .map(({ title, nameRules = "", schemas = "" }) => [title, nameRules, schemas])

    expect(rowsOf("| client | names | schemas |")).toEqual(rows)
  })
})

/** The cells of the table that begins like that, its head left out. */
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
