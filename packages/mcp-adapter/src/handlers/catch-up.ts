import type { OptionRule } from "@x/tool-schemas/json"
import { type Diff, isUnchanged } from "../catalogue/diff.js"
import type { LinkEntry, StateEntry, ToolEntry } from "../catalogue/entry.js"
import { type StateMode, showsGetState } from "../exposures/state-mode.js"
import { formatPath, type Path } from "../names/path.js"
import type { View } from "../views/view.js"
import { toSignature } from "./tool-signature.js"

/** What changed since a call began, for a model to read. */
export interface CatchUp {
  /** As text. */
  readonly text: string
  /** As JSON, for the property `changes` of a structured result. */
  readonly json: { readonly [key: string]: readonly Item[] }
  /** The services that it says another thing has taken the place of. */
  readonly replaced: readonly Path[]
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
  const told = write(
    sections,
    leftOut === 0 ? notes : [...notes, `${leftOut} more changes are left out: ${toReadOn(site)}`],
  )
  const places = new Set<unknown>(told.json["replaced"])
  return { ...told, replaced: toReplacedPaths(shown).filter((path) => places.has(toPlace(path))) }
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
    replaced: [],
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

/** One kind of change, and what changed so. */
interface Section {
  /** Its name in JSON. */
  readonly key: string
  /** Its name in text. */
  readonly label: string
  /** What changed, in the order of the lists. */
  readonly items: readonly Item[]
}

/** Something that changed. */
type Item = string | ToolItem

/** A tool, with what it takes to call it. A `type` because it is JSON. */
type ToolItem = {
  /** The name it is called by. */
  readonly name: string
  /** What it takes, in a few words; absent where it takes nothing. */
  readonly arguments?: string
  /** The first words of what it does. */
  readonly description?: string
}

/** How things are named to the client. */
interface Naming {
  /** How states reach the client. */
  readonly states: StateMode
  /** The service that the client's names begin at. */
  readonly at: Path
}

/** Sorts a diff into what a model should know first. Empty sections are left out. */
function toSections(diff: Diff, naming: Naming): readonly Section[] {
  const { tools, states, links, values } = diff
  const named = (entries: readonly StateEntry[]) => entries.map((entry) => toStateName(entry, naming))
  const linked = (entries: readonly LinkEntry[]) => entries.map(({ path }) => formatPath(path))
  const sections: readonly Section[] = [
    { key: "available", label: "can be called now", items: tools.appeared.map(toToolItem) },
    { key: "unavailable", label: "cannot be called now", items: tools.vanished.map(({ name }) => name) },
    {
      key: "redefined",
      label: "can be called as before, with a new definition",
      items: tools.redefined.map(toToolItem),
    },
    { key: "replaced", label: "another than before, under the same name", items: toReplacedPaths(diff).map(toPlace) },
    { key: "statesChanged", label: "states with a new value", items: named(values) },
    { key: "statesAppeared", label: "new states", items: named(states.appeared) },
    { key: "statesGone", label: "states that are gone", items: named(states.vanished) },
    { key: "statesRedefined", label: "states with a new definition", items: named(states.redefined) },
    { key: "linksAppeared", label: "new links", items: linked(links.appeared) },
    { key: "linksGone", label: "links that are gone", items: linked(links.vanished) },
    { key: "linksRedefined", label: "links with a new definition", items: linked(links.redefined) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}

/** Returns the paths of the services that another thing has taken the place of, each once. */
function toReplacedPaths({ tools, states, links }: Diff): readonly Path[] {
  const paths = [...tools.replaced, ...states.replaced, ...links.replaced].map(({ path }) => path)
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()]
}

/** The root has no path to be named by. */
function toPlace(path: Path): string {
  return path.length === 0 ? "the application" : formatPath(path)
}

/** As `get_state` takes it, where that reads states: path and key; else the URI. At a linked service there is no path. */
function toStateName({ path, key, uri }: StateEntry, { states, at }: Naming): string {
  return showsGetState(states) ? formatPath(at.length === 0 ? [...path, key] : [key]) : uri
}

function toToolItem({ name, definition }: ToolEntry): ToolItem {
  const signature = toSignature(definition.inputSchema)
  const description = toFirstWords(definition.description)
  return { name, ...(signature !== undefined && { arguments: signature }), ...(description && { description }) }
}

function toFirstWords(text: string): string {
  const sentence =
    text
      .replace(/\s+/g, " ")
      .trim()
      .split(/(?<=[.!?]) /, 1)[0] ?? ""
  return sentence.length <= longestDescription ? sentence : `${sentence.slice(0, longestDescription - 1)}…`
}

const longestDescription = 120

/** What fits in a budget, and how much does not. */
interface Fitted {
  /** What fits. */
  readonly sections: readonly Section[]
  /** How many items are left out. */
  readonly leftOut: number
}

/**
 * Makes sections fit in a number of characters: as they are, else without what the tools do and take, else as many as fit,
 * taken from each section in turn, so that no kind of change is hidden by another.
 */
function fitSections(sections: readonly Section[], budget: number): Fitted {
  const room = budget - frame
  if (sizeOf(sections) <= room) return { sections, leftOut: 0 }
  const brief = sections.map((section) => ({ ...section, items: section.items.map(toName) }))
  return sizeOf(brief) <= room ? { sections: brief, leftOut: 0 } : takeInTurns(brief, room)
}

function takeInTurns(sections: readonly Section[], room: number): Fitted {
  const taken = sections.map((): Item[] => [])
  const total = sections.reduce((sum, { items }) => sum + items.length, 0)
  let left = room
  let count = 0
  let open = sections.map((section, index) => ({ section, into: taken[index] ?? [] }))
  while (open.length > 0) {
    open = open.filter(({ section, into }) => {
      const item = section.items[into.length]
      if (item === undefined) return false
      const size = sizeOfItem(item) + (into.length === 0 ? sizeOfHead(section) : 0)
      if (size > left) return false
      into.push(item)
      left -= size
      count += 1
      return true
    })
  }
  const kept = sections.map((section, index) => ({ ...section, items: taken[index] ?? [] }))
  return { sections: kept.filter(({ items }) => items.length > 0), leftOut: total - count }
}

function toName(item: Item): string {
  return typeof item === "string" ? item : item.name
}

function sizeOf(sections: readonly Section[]): number {
  return sections.reduce(
    (sum, section) => section.items.reduce((size, item) => size + sizeOfItem(item), sum + sizeOfHead(section)),
    0,
  )
}

function sizeOfHead({ key, label }: Section): number {
  return Math.max(key.length, label.length) + 8
}

/** As JSON, which is never shorter than the text. */
function sizeOfItem(item: Item): number {
  return JSON.stringify(item).length + 2
}

/** What stands around the sections, in text or in JSON, notes included. */
const frame = 250

/** What changed, as far as the client is shown such things: with states left out, there are none in it. */
function toShownDiff(diff: Diff, states: StateMode): Diff {
  return states === "omit" ? { ...diff, states: noChanges, values: [] } : diff
}

/** Whether something that the client is shown has changed since a revision; `true` where that is too long ago to tell. */
export function hasChanged(view: View, revision: number, states: StateMode): boolean {
  const diff = view.diffSince(revision)
  return diff === undefined || !isEmpty(toShownDiff(diff, states))
}

/** Whether nothing changed. */
export function isEmpty({ tools, states, links, values }: Diff): boolean {
  return values.length === 0 && [tools, states, links].every(isUnchanged)
}

const noChanges = { appeared: [], vanished: [], redefined: [], replaced: [] } as const

/** How the result of a call tells what changed since the call began. */
export interface CatchUpOptions {
  /**
   * The most characters it takes, as text and as JSON. What does not fit is shortened, then counted. Default 2,000; at
   * least 300.
   */
  readonly budgetChars: number
  /**
   * How long a call waits, in milliseconds, for the first change that its action's sources tell of later. Only a changing
   * action that succeeded waits, where nothing has changed yet: not when its changes have been there at once before, and at
   * most three times in vain. Default 100; 0 for never.
   */
  readonly waitMs: number
}

/** How long a call waits for the application to come to rest before it is answered. */
export interface SettleOptions {
  /** How long nothing that the caller may see must have changed, in milliseconds. Default 50. */
  readonly quietMs?: number
  /** How long to wait for that at most, in milliseconds; when it is not enough, the result says so. Default 2,000. */
  readonly limitMs?: number
}

/** What each option of the catch-up may be. */
export const catchUpRules: Record<keyof CatchUpOptions, OptionRule> = { budgetChars: { from: 0 }, waitMs: { from: 0 } }

/** What each option of settling may be. */
export const settleRules: Record<keyof SettleOptions, OptionRule> = { quietMs: { from: 0 }, limitMs: { from: 0 } }

/** The options as an endpoint takes them; `undefined` where there is to be no catch-up. */
export function resolveCatchUp(given: boolean | Partial<CatchUpOptions> = true): CatchUpOptions | undefined {
  if (given === false) return undefined
  const { budgetChars: budget = 2_000, waitMs: wait = 100 } = given === true ? {} : given
  return { budgetChars: Math.max(budget, 300), waitMs: wait }
}
