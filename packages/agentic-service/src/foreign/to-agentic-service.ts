import type { JsonSchema } from "@x/tool-schemas"
import { hasMethod, isRecord, memberOf } from "@x/tool-schemas/json"
import { assembleService, isBranded } from "../assemble-service.js"
import type { Callable } from "../calls/execute-action.js"
import { createToFailure, type OwnErrors } from "../calls/own-errors.js"
import { createLiveMap, type Entries, emptyEntries, type Feed, isUnchanged } from "../maps/live-map.js"
import { createSourceFeed } from "../maps/source-feed.js"
import type { Outcome } from "../outcome.js"
import { createFailures, type Report } from "../report.js"
import type { AgenticService, Hints, Link, MemberFailure, State } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Source } from "../sources/source.js"
import { createForeignActions } from "./foreign-actions.js"
import { type ForeignService, recogniseService } from "./recognise-service.js"

/** How a foreign service is taken. */
export interface ForeignOptions {
  /** The name to give it. Default: its own `name`, else its `serviceName` where that says anything, else `"service"`. */
  readonly name?: string
  /** What a string stands for that an action returns: an error message, as `@adobe/data` has it, or data. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /**
   * What is known of an action, by its key: a foreign service does not say. Asked for the services it links to as well.
   * Default: nothing, and then nothing is published.
   */
  readonly hints?: (key: string) => Hints | undefined
  /**
   * The errors whose message is for the caller, as `errors` of `createAgenticService` has them. They count for the services it
   * links to as well. Default: none.
   */
  readonly errors?: OwnErrors
}

/**
 * Takes anything that looks like an agentic service: one of this package (given back as it is), the original
 * interface whose `execute` answers an error message or nothing, and services of `@adobe/data` since 0.9.45.
 * The same service always gives the same result, until that is closed; so what it was first taken with counts.
 * The services it links to are taken in the same way. Throws a `ServiceError` with code `not_a_service` otherwise.
 *
 * @example
 * ```ts
 * import { toAgenticService } from "@x/agentic-service"
 * import { of } from "rxjs"
 *
 * const hero = toAgenticService(
 *   {
 *     states: of({ hp: { schema: { type: "number" }, value: 10 } }),
 *     actions: of({ rest: { description: "Sleep", schema: false, execute: async () => {} } }),
 *     execute: async () => "nobody sleeps here",
 *   },
 *   { name: "hero" },
 * )
 * console.log(await hero.execute("rest", {})) // { ok: false, message: "nobody sleeps here", … }
 * ```
 */
export function toAgenticService(candidate: unknown, options: ForeignOptions = {}): AgenticService {
  if (isAgenticService(candidate)) return candidate
  const foreign = recogniseService(candidate)
  const known = wrapped.get(foreign.identity)
  if (known) return known
  const { name: _name, ...forChildren } = options
  const service = wrapService(foreign, {
    ...options,
    wrapChild: (child) => toAgenticService(child, forChildren),
    forget: () => wrapped.delete(foreign.identity),
  })
  wrapped.set(foreign.identity, service)
  return service
}

const wrapped = new WeakMap<object, AgenticService>()

/** Ours by its brand; or written by hand against our interface, which shows in what only that has. */
function isAgenticService(candidate: unknown): candidate is AgenticService {
  if (isBranded(candidate)) return true
  const methods = hasMethod(candidate, "execute") && hasMethod(candidate, "close")
  const maps = ["states", "actions", "links", "failures"].every((map) =>
    hasMethod(memberOf(candidate, map), "subscribe"),
  )
  return methods && maps && typeof memberOf(candidate, "declared") === "object"
}

/** How a recognised service is wrapped. */
interface WrapOptions {
  /** The name to give it instead of its own. */
  readonly name?: string | undefined
  /** What a string stands for that an action returns. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /** What is known of an action, by its key. */
  readonly hints?: (key: string) => Hints | undefined
  /** The errors whose message is for the caller. */
  readonly errors?: OwnErrors
  /** Wraps a service it links to. */
  wrapChild(child: unknown): AgenticService
  /** Is told when the wrapper is closed. */
  forget(): void
}

/** Gives a foreign service our interface. Neither the service nor anything it emits is written to. */
function wrapService(foreign: ForeignService, options: WrapOptions): AgenticService {
  const { failures, report } = createFailures()
  const name = options.name ?? foreign.name ?? "service"
  const toAction = createForeignActions({
    foreign,
    report,
    stringsAreErrors: options.stringResults !== "data",
    hints: options.hints,
    toFailure: createToFailure(options.errors),
    callee: () => callee,
  })
  const states = createLiveMap(
    createForeignFeed({ kind: "state", source: foreign.states, toItem: toForeignState, report }),
  )
  const actions = createLiveMap<Callable<Outcome>>(
    createForeignFeed({ kind: "action", source: foreign.actions, toItem: toAction, report }),
  )
  const links = createLiveMap(
    createForeignFeed({
      kind: "link",
      source: foreign.links,
      toItem: createForeignLinks(foreign, options.wrapChild),
      report,
    }),
  )
  const declared = { states: {}, actions: {}, links: {} }
  const callee = { name, actions: actions.changes, declared }
  const service = assembleService({
    name,
    description: foreign.description,
    states,
    actions,
    links,
    declared,
    failures,
  })
  return {
    ...service,
    close: () => {
      options.forget()
      service.close()
    },
  }
}

/** A foreign map and how its entries become ours. */
interface ForeignMap<Item> {
  /** Which map. */
  readonly kind: MemberFailure["kind"]
  /** Emits the whole map, however often. */
  readonly source: Source<unknown>
  /**
   * Makes an item of an entry: the one it was before where nothing about it changed, `undefined` where there is
   * none. May throw; then the entry is left out.
   */
  toItem(entry: unknown, key: string, before: Item | undefined): Item | undefined
  /** Is told of every entry that cannot be taken, once for as long as it stays. */
  readonly report: Report
}

/** Feeds a live map from a foreign one. Entries that cannot be taken are left out, the others are served. */
function createForeignFeed<Item>({ kind, source, toItem, report }: ForeignMap<Item>): Feed<Item> {
  let broken = new Set<string>()

  const convert = (map: Readonly<Record<string, unknown>>, before: Entries<Item>): Entries<Item> => {
    const next = emptyEntries<Item>()
    const failing = new Set<string>()
    for (const key of Object.keys(map)) {
      try {
        const item = toItem(map[key], key, before[key])
        if (item !== undefined) next[key] = item
      } catch (cause) {
        failing.add(key)
        if (!broken.has(key)) report({ kind, key, cause })
      }
    }
    broken = failing
    return next
  }
  const toEntries = (map: unknown, before: Entries<Item>): Entries<Item> => {
    if (map === null || map === undefined) return emptyEntries()
    if (isRecord(map)) return convert(map, before)
    throw notAMap(map)
  }
  return createSourceFeed({ source, toEntries, failed: (cause) => report({ kind, cause }) })
}

function notAMap(map: unknown): ServiceError {
  const found = Array.isArray(map) ? "an array" : typeof map
  return new ServiceError(`found ${found}, expected an object of entries by key`, { code: "invalid_definition" })
}

/** Takes a foreign state: `{ schema, value }`, with a description where there is one. */
function toForeignState(entry: unknown, _key: string, before: State | undefined): State {
  if (typeof entry !== "object" || entry === null) {
    throw new ServiceError(`found ${typeof entry}, expected a state with "schema" and "value"`, {
      code: "invalid_definition",
    })
  }
  const value = memberOf(entry, "value")
  const schema = memberOf(entry, "schema")
  const description = memberOf(entry, "description") ?? memberOf(schema, "description")
  const state: State = {
    schema: isSchema(schema) ? schema : {},
    value,
    ...(typeof description === "string" ? { description } : {}),
  }
  return before && isSame(before, state) ? before : state
}

function isSame(before: State, after: State): boolean {
  const described = before.schema === after.schema && before.description === after.description
  return described && isUnchanged(before.value, after.value)
}

function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === "boolean" || (typeof schema === "object" && schema !== null)
}

/**
 * Takes foreign links, which are bare services; or objects with a `service`, as ours are. A description
 * is read from the link or from the service's `linkDescriptions`; a link to nothing is none.
 */
function createForeignLinks(
  { linkDescriptions }: ForeignService,
  wrapChild: (child: unknown) => AgenticService,
): (entry: unknown, key: string, before: Link | undefined) => Link | undefined {
  return (entry, key, before) => {
    const target = memberOf(entry, "execute") === undefined ? (memberOf(entry, "service") ?? entry) : entry
    if (!target) return undefined
    const described = target === entry ? ownText(linkDescriptions, key) : ownText(entry, "description")
    const link: Link = { service: wrapChild(target), ...(described === undefined ? {} : { description: described }) }
    return before?.service === link.service && before.description === link.description ? before : link
  }
}

function ownText(texts: unknown, key: string): string | undefined {
  if (typeof texts !== "object" || texts === null || !Object.hasOwn(texts, key)) return undefined
  const text = memberOf(texts, key)
  return typeof text === "string" ? text : undefined
}
