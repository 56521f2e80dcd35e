import type { AgenticService } from "@x/agentic-service"
import { toWellFormed } from "@x/base"
import type { View } from "./view.js"

/**
 * Joins the adapter's instructions with those of the view's services, each under its service's name, so that a model can see
 * whose words they are. Never waits.
 *
 * @param own - The operator's instructions, which come first and without a name.
 * @returns `undefined` when there are none.
 */
export function joinInstructions(own: string | undefined, view: View): string | undefined {
  const root = view.serviceAt([])?.service
  const linked = view.links().filter(({ path, canonical }) => path.join("\0") === canonical.join("\0"))
  const all = [
    ...(root === undefined ? [] : [toPart(root.name, root)]),
    ...linked.map(({ path, service }) => toPart(path.join(" / "), service)),
  ]
  const parts = own === undefined ? [] : [own]
  let left = MOST_CHARS
  for (const part of all) {
    if (part === undefined || part.length > left) continue
    left -= part.length
    parts.push(part)
  }
  return parts.length === 0 ? undefined : parts.join("\n\n")
}

/** The maximum of characters of all services together. A service whose text does not fit is left out. */
const MOST_CHARS = 16_000

/** One service's maximum of characters. */
const MOST_OF_ONE = 4_000

function toPart(name: string, { instructions }: AgenticService): string | undefined {
  if (typeof instructions !== "string" || instructions.trim() === "") return undefined
  const said = instructions.trim()
  const cut = said.length > MOST_OF_ONE ? `${said.slice(0, MOST_OF_ONE)} … (cut)` : said
  return toWellFormed(`Instructions of ${JSON.stringify(name)}, in its own words:\n${cut}`)
}
