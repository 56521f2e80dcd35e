import type { Diff } from "../../catalogue/diff.js"
import { showsGetState } from "../../exposures/state-mode.js"
import { fitSections } from "./fit.js"
import { type Item, type Naming, type Section, toSections } from "./sections.js"
import { isEmpty, toShownDiff } from "./shown-diff.js"

/** What changed since a call began, for a model to read. */
export interface CatchUp {
  /** As text. */
  readonly text: string
  /** As JSON, for the property `changes` of a structured result. */
  readonly json: { readonly [key: string]: readonly Item[] }
}

/** What the catch-up is made from. */
export interface CatchUpSite extends Naming {
  /** The most characters it takes, as text and as JSON. */
  readonly budget: number
  /** What is to be said besides. */
  readonly notes?: readonly string[]
}

/**
 * Says what changed: what can be called now and could not before, what went, which states have other values. It does not say
 * why, as nobody can know.
 *
 * @param diff - The net change; `undefined` when the call began too long ago to tell.
 * @returns Nothing where there is nothing to say.
 */
export function toCatchUp(diff: Diff | undefined, site: CatchUpSite): CatchUp | undefined {
  const { notes = [] } = site
  if (diff === undefined) return write([], [...notes, `more has changed than is remembered: ${toReadOn(site)}`])
  const shown = toShownDiff(diff, site.states)
  if (isEmpty(shown)) return notes.length === 0 ? undefined : write([], notes)
  const { sections, leftOut } = fitSections(toSections(shown, site), site.budget)
  return write(sections, leftOut === 0 ? notes : [...notes, `${leftOut} more changes are left out: ${toReadOn(site)}`])
}

function toReadOn({ states }: Naming): string {
  const read = showsGetState(states) ? ", and read the states with get_state" : ""
  return `list the tools again${states === "resources" ? ", and read the resources" : read}`
}

function write(sections: readonly Section[], notes: readonly string[]): CatchUp {
  const lines = [...sections.flatMap(toLines), ...notes]
  const json = Object.fromEntries(sections.map(({ key, items }) => [key, items]))
  return {
    text: ["Since the call began, whatever the cause:", ...lines].join("\n"),
    json: { ...json, ...(notes.length > 0 && { notes }) },
  }
}

/** Names in a row; a line for each tool where there is more to say. */
function toLines({ label, items }: Section): readonly string[] {
  if (items.every((item) => typeof item === "string")) return [`${label}: ${items.join(", ")}`]
  return [`${label}:`, ...items.map((item) => `- ${toLine(item)}`)]
}

function toLine(item: Item): string {
  if (typeof item === "string") return item
  const { name, arguments: signature, description } = item
  return `${name}${signature ? ` ${signature}` : ""}${description ? `: ${description}` : ""}`
}
