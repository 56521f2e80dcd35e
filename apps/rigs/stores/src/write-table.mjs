import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "..")
const guide = join(folder, "..", "..", "..", "docs", "guides", "wrap-a-store.md")
const [BEGIN, END] = ["<!-- Written by `pnpm rig stores`: change apps/rigs/stores instead. -->", "<!-- end of that -->"]

/** Writes the results into the guide. */
export function writeTable(played) {
  const page = readFileSync(guide, "utf8")
  const [before, rest] = page.split(BEGIN)
  const [, after] = (rest ?? "").split(END)
  if (after === undefined) throw new Error(`found no place for the table in ${guide}`)
  const rows = played.map(toRow).sort(([one], [other]) => one.localeCompare(other, "en"))
  const lines = [["library", "played with", "hand in"], ["---", "---", "---"], ...rows]
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
  writeFileSync(guide, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`)
}

function toRow({ title, packages, as, line }) {
  const versions = packages.map(toVersion)
  return [
    title,
    versions.join(", ") || "the language",
    as === "line" ? `\`${line.replaceAll("|", "\\|")}\`` : "it, as it is",
  ]
}

/** Returns a package's name and version. A second version of a package is installed under an alias. */
function toVersion(name) {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "libraries", "package.json"), "utf8"))
  const [, original = name, version] = /^(?:npm:(.+)@)?(.+)$/.exec(dependencies[name])
  return `\`${original}\` ${version}`
}
