import type { OptionRule } from "@x/base"
import { cutText } from "@x/base"
import { type Diff, isUnchanged } from "../catalogue/diff.js"
import type { LinkEntry, StateEntry, ToolEntry } from "../catalogue/entry.js"
import type { ItemOf, ItemTool } from "../exposures/item-lists.js"
import { type StateMode, showsGetState } from "../exposures/state-mode.js"
import { formatPath, type Path } from "../names/path.js"
import type { View } from "../views/view.js"
import { fitSections, type Item, type Section, type ToolItem, toName } from "./fit-sections.js"
import { toSignature } from "./tool-signature.js"

/** The changes since a call began, for a model to read. */
export interface CatchUp {
  /** The changes as text. */
  readonly text: string
  /** The changes as JSON, for the property `changes` of structured results. */
  readonly json: { readonly [key: string]: readonly Item[] }
  /** Paths of the services it reports as replaced. */
  readonly replaced: readonly Path[]
}

/** Context for a report of changes. */
export interface CatchUpSite extends Naming {
  /** The maximum of characters, as text or JSON. */
  readonly budget: number
  /** Further notes. */
  readonly notes?: readonly string[]
}

/**
 * Reports changes: actions that became available or unavailable, and states with new values. Their cause is unknown.
 *
 * @param diff - The net change. `undefined` when the call began too long ago.
 * @returns `undefined` without changes to report.
 */
export function toCatchUp(diff: Diff | undefined, site: CatchUpSite): CatchUp | undefined {
  const { notes = [] } = site
  if (diff === undefined) return write([], [...notes, `too much has changed to list it: ${toReadOn(site)}`])
  const shown = toShownDiff(diff, site.states)
  if (isEmpty(shown)) return notes.length === 0 ? undefined : write([], notes)
  const { sections, leftOut } = fitSections(toSections(shown, site), site.budget)
  const told = write(sections, [...notes, ...toLeftOut(leftOut, shown, site)])
  const places = new Set<unknown>(told.json["replaced"])
  return { ...told, replaced: toReplacedPaths(shown).filter((path) => places.has(toPlace(path))) }
}

function toLeftOut(leftOut: number, { rest = 0 }: Diff, site: CatchUpSite): readonly string[] {
  if (leftOut + rest === 0) return []
  const most = rest === 0 ? "" : "up to "
  return [`${most}${leftOut + rest} more changes are not shown: ${toReadOn(site)}`]
}

function toReadOn({ states }: Naming): string {
  const read = showsGetState(states) ? ", and read the states with get_state" : ""
  return `list the tools again${states === "resources" ? ", and read the resources" : read}`
}

function write(sections: readonly Section[], notes: readonly string[]): CatchUp {
  const lines = [...sections.flatMap(toLines), ...notes]
  const json = Object.fromEntries(sections.map(({ key, items }) => [key, items]))
  return {
    text: ["Since the call began:", ...lines].join("\n"),
    json: { ...json, ...(notes.length > 0 && { notes }) },
    replaced: [],
  }
}

/** Formats names in one line, or one line per tool when there are details. */
function toLines({ label, items }: Section): readonly string[] {
  if (items.every((item) => typeof item === "string")) return [`${label}: ${items.join(", ")}`]
  return [`${label}:`, ...items.map((item) => `- ${toLine(item)}`)]
}

function toLine(item: Item): string {
  if (typeof item === "string") return item
  const { arguments: signature, description } = item
  return `${toName(item)}${signature ? ` ${signature}` : ""}${description ? `: ${description}` : ""}`
}

/** Context for naming items to the client. */
interface Naming {
  /** The state mode. */
  readonly states: StateMode
  /** The path of the service at which the client's names begin. */
  readonly at: Path
  /** Finds the tool that stands for an action of several items. Default: each action is a tool of its own. */
  readonly itemOf?: ((entry: ToolEntry) => ItemOf | undefined) | undefined
}

/** Sorts a diff by importance to a model. Empty sections are left out. */
function toSections(diff: Diff, naming: Naming): readonly Section[] {
  const { tools, states, links, values } = diff
  const named = (entries: readonly StateEntry[]) => entries.map((entry) => toStateName(entry, naming))
  const linked = (entries: readonly LinkEntry[]) => entries.map(({ path }) => formatPath(path))
  const sections: readonly Section[] = [
    { key: "available", label: "can be called now", items: toToolItems(tools.appeared, naming) },
    { key: "unavailable", label: "cannot be called now", items: toToolItems(tools.vanished, naming).map(toName) },
    {
      key: "redefined",
      label: "have a new definition",
      items: toToolItems(tools.redefined, naming),
    },
    { key: "replaced", label: "replaced by another under the same name", items: toReplacedPaths(diff).map(toPlace) },
    { key: "statesChanged", label: "changed states", items: named(values) },
    { key: "statesAppeared", label: "new states", items: named(states.appeared) },
    { key: "statesGone", label: "removed states", items: named(states.vanished) },
    { key: "statesRedefined", label: "states with a new definition", items: named(states.redefined) },
    { key: "linksAppeared", label: "new links", items: linked(links.appeared) },
    { key: "linksGone", label: "removed links", items: linked(links.vanished) },
    { key: "linksRedefined", label: "links with a new definition", items: linked(links.redefined) },
  ]
  return sections.filter(({ items }) => items.length > 0)
}

/** Returns the paths of replaced services, each once. */
function toReplacedPaths({ tools, states, links }: Diff): readonly Path[] {
  const paths = [...tools.replaced, ...states.replaced, ...links.replaced].map(({ path }) => path)
  return [...new Map(paths.map((path) => [formatPath(path), path])).values()]
}

/** Formats a path. The root has no path to show. */
function toPlace(path: Path): string {
  return path.length === 0 ? "the application" : formatPath(path)
}

/**
 * Returns a state's name as `get_state` accepts it, or its URI when only resources show states. At a linked service the path is
 * omitted.
 */
function toStateName({ path, key, uri }: StateEntry, { states, at }: Naming): string {
  return showsGetState(states) ? formatPath(at.length === 0 ? [...path, key] : [key]) : uri
}

/** Describes actions, those of several items once. */
function toToolItems(entries: readonly ToolEntry[], { itemOf }: Naming): readonly Item[] {
  if (itemOf === undefined) return entries.map(toToolItem)
  const rows: Item[] = []
  const grouped = new Map<ItemTool, string[]>()
  for (const entry of entries) {
    const found = itemOf(entry)
    if (found === undefined) rows.push(toToolItem(entry))
    else grouped.set(found.tool, [...(grouped.get(found.tool) ?? []), found.item])
  }
  for (const [tool, items] of grouped) rows.push(toItemRow(tool, items))
  return rows
}

function toItemRow(tool: ItemTool, items: readonly string[]): Item {
  const more = items.length > shownItems ? ` and ${items.length - shownItems} more` : ""
  const concerned = { for: `${tool.parameter}: ${items.slice(0, shownItems).join(", ")}${more}` }
  const { name, parameter, definition, shared } = tool
  // A tool that other items had before is listed already.
  const isNew = shared.every(({ item, available }) => !available || items.includes(item))
  if (definition === undefined || !isNew) return toName({ name, ...concerned })
  const { [parameter]: _item, ...properties } = Object(definition.inputSchema["properties"])
  const inputSchema = { ...definition.inputSchema, properties }
  return { ...toToolItem({ name, definition: { ...definition, inputSchema } }), ...concerned }
}

const shownItems = 10

function toToolItem({ name, definition }: Pick<ToolEntry, "name" | "definition">): ToolItem {
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
  return cutText(sentence, longestDescription)
}

const longestDescription = 120

/** Removes changes that the client is not shown: with `omit`, those of states. */
function toShownDiff(diff: Diff, states: StateMode): Diff {
  return states === "omit" ? { ...diff, states: noChanges, values: [], rest: 0 } : diff
}

/** Checks whether anything visible has changed since a revision. Returns `true` when that is too long ago to know. */
export function hasChanged(view: View, revision: number, states: StateMode): boolean {
  const diff = view.diffSince(revision, { most: 1 })
  return diff === undefined || !isEmpty(toShownDiff(diff, states))
}

/** Checks whether a diff is empty. */
export function isEmpty({ tools, states, links, values }: Diff): boolean {
  return values.length === 0 && [tools, states, links].every(isUnchanged)
}

const noChanges = { appeared: [], vanished: [], redefined: [], replaced: [] } as const

/** Options of reporting changes since a call began. */
export interface CatchUpOptions {
  /** The maximum of characters, as text or JSON. Longer reports are shortened, then counted. Default 2,000; at least 300. */
  readonly budgetChars: number
  /**
   * Milliseconds that a call waits for its action's first delayed change. Only successful changing actions wait, and only while
   * no change is visible. An action whose changes were immediate before never waits, and three fruitless waits in a row end the
   * waiting. Default 100; 0 never waits.
   */
  readonly waitMs: number
}

/** Options of waiting until the application has settled. */
export interface SettleOptions {
  /** Milliseconds without any visible change. Default 50. */
  readonly quietMs?: number
  /** The maximum of milliseconds to wait; when they do not suffice, the result says so. Default 2,000. */
  readonly limitMs?: number
}

/** Rules for options of the report. */
export const catchUpRules: Record<keyof CatchUpOptions, OptionRule> = { budgetChars: { from: 0 }, waitMs: { from: 0 } }

/** Rules for options of settling. */
export const settleRules: Record<keyof SettleOptions, OptionRule> = { quietMs: { from: 0 }, limitMs: { from: 0 } }

/** Returns the options with defaults, or `undefined` when reports are off. */
export function resolveCatchUp(given: boolean | Partial<CatchUpOptions> = true): CatchUpOptions | undefined {
  if (given === false) return undefined
  const { budgetChars: budget = 2_000, waitMs: wait = 100 } = given === true ? {} : given
  return { budgetChars: Math.max(budget, 300), waitMs: wait }
}
