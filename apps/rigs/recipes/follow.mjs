import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Applies a recipe to a workspace: copies its new files and adds its lines.
 *
 * @throws Error if a line has no place, or CONTRIBUTING does not name a file that gets lines.
 */
export function follow(workspace, name, { title, lines }) {
  const section = readSection(workspace, title)
  for (const line of lines) {
    if (!section.includes(line.file.split("/").at(-1)))
      throw new Error(`"${title}" does not name ${line.file}, which its script changes: name it in CONTRIBUTING.md`)
    addTo(join(workspace, line.file), line)
  }
  const folder = join(import.meta.dirname, name)
  for (const each of readdirSync(folder)) cpSync(join(folder, each), join(workspace, each), { recursive: true })
}

/** Returns a section of CONTRIBUTING. */
function readSection(workspace, title) {
  const sections = readFileSync(join(workspace, "CONTRIBUTING.md"), "utf8").split(/^## /m)
  const section = sections.find((each) => each.startsWith(`${title}\n`))
  if (section === undefined) throw new Error(`CONTRIBUTING.md has no section "${title}"`)
  return section
}

function addTo(file, { after, before, instead, add }) {
  const text = readFileSync(file, "utf8")
  const place = after ?? before ?? instead
  const found = text.split(place).length - 1
  if (found !== 1) throw new Error(`${file} has ${JSON.stringify(place)} ${found} times: expected once`)
  const written = { [after]: place + add, [before]: add + place, [instead]: add }[place]
  // The replacement is a function, because `$` is special in a text.
  writeFileSync(
    file,
    text.replace(place, () => written),
  )
}
