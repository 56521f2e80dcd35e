import type { AgenticService } from "@x/agentic-service"
import { toWellFormed } from "@x/tool-schemas/json"
import type { View } from "./view.js"

/**
 * Joins what the adapter says about its use with what the services in a view say now, each under its name: whose words they are
 * must be plain to a model. Waits for nothing.
 *
 * @param own - The words of the adapter's operator, which stand first and without a name.
 * @returns `undefined` if nobody says anything.
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

/** The most characters of all services' words together; a service whose words do not fit is left out. */
const MOST_CHARS = 16_000

/** The most characters of one service's words. */
const MOST_OF_ONE = 4_000

function toPart(name: string, { instructions }: AgenticService): string | undefined {
  if (typeof instructions !== "string" || instructions.trim() === "") return undefined
  const said = instructions.trim()
  const cut = said.length > MOST_OF_ONE ? `${said.slice(0, MOST_OF_ONE)} … (cut)` : said
  return toWellFormed(`Instructions of ${JSON.stringify(name)}, in its own words:\n${cut}`)
}
