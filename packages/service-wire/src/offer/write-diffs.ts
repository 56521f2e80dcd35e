import type { JsonValue } from "@x/base"
import { createDiffText, type DiffText, MAP_NAMES, type MapName } from "../frames.js"
import { holds, introOf } from "../identity.js"
import type { WireLimits } from "../limits.js"
import {
  sameActionDefinition,
  sameStateDefinition,
  writeActionDefinition,
  writeLink,
  writeQuestions,
  writeStateDefinition,
  writeValue,
} from "../members.js"
import { type Budget, createBudget, type OfferedGraph } from "./offered-graph.js"
import type { OfferedService, TellTale } from "./offered-service.js"

/** Writes the pending changes of a graph as diffs. */
export interface DiffWriter {
  /**
   * Returns the next diff, or `undefined` if nothing is pending. Changes that do not fit go into a later diff.
   *
   * @param patient - Whether to wait for maps that have not emitted before the snapshot is marked as complete.
   */
  next(patient: boolean): string | undefined
}

/** Failures in the application, not sent yet. */
export interface FailureNotes {
  /** Adds a failure. Drops it if too many are pending. */
  add(note: FailureNote): void
  /** Returns the pending failures and clears them. */
  take(): readonly FailureNote[]
}

type FailureNote = readonly [kind: MapName, key: string, message: string]

/** Creates an empty list of failures. */
export function createFailureNotes(): FailureNotes {
  let notes: FailureNote[] = []
  return {
    add(note) {
      if (notes.length < MOST_FAILURES) notes.push(note)
    },
    take() {
      const taken = notes
      notes = []
      return taken
    },
  }
}

const MOST_FAILURES = 20

/** Options of the diff writer. */
export interface DiffOptions {
  /** The limits of the other side. */
  readonly limits: () => WireLimits
  /** Whether to send that actions ask; `false` if this side asks their questions itself. */
  readonly asks: boolean
  /** Whether the other side compares identities. */
  readonly things: () => boolean
  /** The pending failures, including those of members that are left out. */
  readonly failures: FailureNotes
}

/** Creates a writer that has sent nothing yet. */
export function createDiffWriter(graph: OfferedGraph, options: DiffOptions): DiffWriter {
  const site: Site = { graph, options, budget: createBudget(options.limits) }
  let n = 0
  let live = false

  return {
    next(patient) {
      const text = createDiffText()
      const whole = writeAll(site, text)
      const gone = graph.sweep()
      if (gone.length > 0) text.say("gone", gone)
      const failures = options.failures.take()
      if (failures.length > 0) text.say("failures", failures)
      if (whole && !live && (!patient || hasSpoken(graph))) {
        live = true
        text.say("live", true)
      }
      const written = text.finish(n + 1)
      if (written !== undefined) n += 1
      return written
    },
  }
}

function hasSpoken(graph: OfferedGraph): boolean {
  return [...graph.all()].every(({ maps }) => MAP_NAMES.every((kind) => maps[kind].spoken()))
}

/** The dependencies of writing. */
interface Site {
  readonly graph: OfferedGraph
  readonly options: DiffOptions
  readonly budget: Budget
}

/** The dependencies of writing one diff. */
interface WritingSite extends Site {
  readonly text: DiffText
}

/** @returns Whether all pending changes fitted. */
function writeAll(site: Site, text: DiffText): boolean {
  for (const offered of site.graph.all()) {
    if (!introduce(offered, site, text)) return false
    for (const kind of MAP_NAMES) if (!writeMembers(offered, kind, { ...site, text })) return false
    if (!writeReasons(offered, text)) return false
  }
  return true
}

/** Writes the introduction and the declarations of a service, before any link to it. */
function introduce(offered: OfferedService, { options, budget }: Site, text: DiffText): boolean {
  const { id, service, undeclared } = offered
  // A mirror that is itself offered gets its name late, and its identity may change at any time.
  if (!holds(offered.named, service)) {
    const intro = introOf(service, options.things())
    const { name, description = "", thing = "" } = intro
    if (!text.fits(name.length + description.length + thing.length)) return false
    text.introduce(id, { ...intro })
    offered.named = intro
  }
  for (let next = undeclared.at(-1); next !== undefined; next = undeclared.at(-1)) {
    const [kind, key] = next
    const entry = writeDeclared(offered, kind, key)
    if (!text.fits(entry.length)) return false
    undeclared.pop()
    if (entry.length < options.limits().frame / 2 && budget.declare(entry.length)) text.put(id, "declared", entry)
  }
  return true
}

function writeDeclared({ service }: OfferedService, kind: MapName, key: string): string {
  const conditional = service.declared[kind][key]?.conditional === true ? 1 : 0
  const write = (): JsonValue => {
    if (kind === "links") return writeLink(service.declared.links[key]?.definition ?? {})
    if (kind === "states") {
      const definition = service.declared.states[key]?.definition
      return definition === undefined ? null : writeStateDefinition(definition)
    }
    const definition = service.declared.actions[key]?.definition
    return definition === undefined ? null : writeActionDefinition(definition)
  }
  return JSON.stringify([kind, key, write(), conditional])
}

/** @returns Whether all changes fitted. */
function writeMembers(offered: OfferedService, kind: MapName, site: WritingSite): boolean {
  const { id, dirty, maps, spoken } = offered
  const { text, budget } = site
  for (const key of dirty[kind]) {
    const written = write[kind](offered, key, site)
    if (written === "later") return false
    if (written !== undefined && !tell(offered, kind, { key, written, site })) return false
    dirty[kind].delete(key)
  }
  if (!spoken.has(kind) && maps[kind].spoken()) {
    spoken.add(kind)
    text.put(id, "spoken", JSON.stringify(kind))
  }
  for (const again of budget.takeRoom()) again()
  return true
}

/** The pending change of a member: its entry, and the item to remember. */
interface Written {
  readonly entry: JsonValue
  /** Absent if the member no longer exists. */
  readonly told?: unknown
  readonly value?: readonly [unknown]
}

/** @returns Whether the entry fitted into this diff. */
function tell(offered: OfferedService, kind: MapName, news: News): boolean {
  const { key, written, site } = news
  const before = offered.told[kind].get(key)?.size ?? 0
  const entry = JSON.stringify([key, written.entry])
  if (!site.text.fits(entry.length)) return false
  if (kind === "links") site.graph.unlinked()
  const reason = written.told === undefined ? undefined : tooMuch(entry.length, before, site)
  if (reason !== undefined) leaveOut(offered, kind, { key, reason, site })
  if (written.told === undefined || reason !== undefined) untell(offered, kind, { key, before, site })
  else {
    site.budget.change(entry.length, before)
    site.text.put(offered.id, kind, entry)
    const { told, value } = written
    // Each kind's writer returns items of its own map.
    const tales = offered.told[kind] as Map<string, TellTale<unknown>>
    tales.set(key, { told, size: entry.length, ...(value && { value }) })
  }
  return true
}

interface News {
  readonly key: string
  readonly written: Written
  readonly site: WritingSite
}

function untell(
  offered: OfferedService,
  kind: MapName,
  { key, before, site }: Pick<News, "key" | "site"> & { readonly before: number },
): void {
  if (before === 0) return
  site.budget.change(0, before)
  site.text.put(offered.id, kind, JSON.stringify([key, 0]))
  offered.told[kind].delete(key)
}

function leaveOut(
  offered: OfferedService,
  kind: MapName,
  { key, reason, site }: Pick<News, "key" | "site"> & { readonly reason: string },
): void {
  if (!site.budget.wasOut(offered, kind, key)) site.options.failures.add([kind, key, `left out: ${reason}`])
  site.budget.leaveOut(offered, kind, key)
}

function tooMuch(size: number, before: number, { options, budget }: Site): string | undefined {
  const most = Math.floor(options.limits().frame * 0.9)
  if (size > most) return `it has ${size} characters, more than the ${most} that can be sent`
  return budget.fits(size, before) ? undefined : "the limit of the other side is reached"
}

type Writer = (offered: OfferedService, key: string, site: WritingSite) => Written | undefined | "later"

const write: Readonly<Record<MapName, Writer>> = {
  states({ maps, told, service }, key) {
    const state = maps.states.find(key)
    const before = told.states.get(key)
    if (state === undefined) return before && { entry: 0 }
    const known = before?.told ?? own(service.declared.states, key)?.definition
    const definition =
      known !== undefined && sameStateDefinition(known, state) ? {} : { d: writeStateDefinition(state) }
    const { value } = state
    const primitive = typeof value !== "object" && typeof value !== "function"
    const same = before?.value !== undefined && primitive && Object.is(before.value[0], value)
    if (same && !("d" in definition)) return undefined
    return { entry: { ...definition, ...writeValue(state) }, told: state, ...(primitive && { value: [value] }) }
  },
  actions({ maps, told, service }, key, { options }) {
    const action = maps.actions.find(key)
    const before = told.actions.get(key)
    if (action === undefined) return before && { entry: 0 }
    const known = before?.told ?? own(service.declared.actions, key)?.definition
    const questions = options.asks ? writeQuestions(action) : 0
    const alike = known !== undefined && sameActionDefinition(known, action)
    if (alike && before !== undefined && before.value?.[0] === questions) return undefined
    const definition = alike ? {} : { d: writeActionDefinition(action) }
    return { entry: { ...definition, ...(questions !== 0 && { q: questions }) }, told: action, value: [questions] }
  },
  links({ maps, told }, key, site) {
    const link = maps.links.find(key)
    const before = told.links.get(key)
    if (link === undefined) {
      site.graph.unlinked()
      return before && { entry: 0 }
    }
    if (before !== undefined && before.told.service === link.service && before.told.description === link.description)
      return undefined
    const target = site.graph.join(link.service)
    if (target === undefined) return before && { entry: 0 }
    if (!introduce(target, site, site.text)) return "later"
    return { entry: { s: target.id, ...writeLink(link) }, told: link }
  },
}

function own<Item>(map: Readonly<Record<string, Item>>, key: string): Item | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** @returns Whether all reasons fitted. */
function writeReasons({ id, service, unexplained, reasons }: OfferedService, text: DiffText): boolean {
  for (const kind of MAP_NAMES)
    for (const key of unexplained[kind]) {
      const place = `${kind}/${key}`
      const reason = own<{ unavailable(): string | undefined }>(service.declared[kind], key)?.unavailable()
      if (reason !== undefined && reasons.get(place) !== reason) {
        const entry = JSON.stringify([kind, key, reason.slice(0, REASON)])
        if (!text.fits(entry.length)) return false
        text.put(id, "why", entry)
        reasons.set(place, reason)
      }
      unexplained[kind].delete(key)
    }
  return true
}

const REASON = 2_000
