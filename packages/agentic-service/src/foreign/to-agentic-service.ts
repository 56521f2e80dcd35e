import { hasMethod, isRecord, memberOf } from "@x/base"
import type { JsonSchema } from "@x/tool-schemas"
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

/** Options of wrapping a foreign service. */
export interface ForeignOptions {
  /** The name. Default: its own `name`, else a meaningful `serviceName`, else `"service"`. */
  readonly name?: string
  /** The meaning of a string that an action returns: an error message, as in `@adobe/data`, or data. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /**
   * Returns known hints of an action, by key, since a foreign service has none. Also called for linked services. Default: none,
   * and none are published.
   */
  readonly hints?: (key: string) => Hints | undefined
  /**
   * Errors whose message callers may see, like `errors` of `createAgenticService`. They apply to linked services too. Default:
   * none.
   */
  readonly errors?: OwnErrors
}

/**
 * Wraps anything that looks like an agentic service: a service of this package (returned unchanged), the original interface
 * whose `execute` returns an error message or nothing, and services of `@adobe/data` since 0.9.45. The same service always
 * gives the same result until that is closed, so the options of the first call count. Linked services are wrapped in the same
 * way.
 *
 * @throws ServiceError `not_a_service` for anything else.
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

/** Checks for a service of ours: by its brand, or, if written by hand, by members that only our interface has. */
function isAgenticService(candidate: unknown): candidate is AgenticService {
  if (isBranded(candidate)) return true
  const methods = hasMethod(candidate, "execute") && hasMethod(candidate, "close")
  const maps = ["states", "actions", "links", "failures"].every((map) =>
    hasMethod(memberOf(candidate, map), "subscribe"),
  )
  return methods && maps && typeof memberOf(candidate, "declared") === "object"
}

/** Options of wrapping a recognised service. */
interface WrapOptions {
  /** The name instead of its own. */
  readonly name?: string | undefined
  /** The meaning of a returned string. Default `"error"`. */
  readonly stringResults?: "error" | "data"
  /** Returns known hints of an action, by key. */
  readonly hints?: (key: string) => Hints | undefined
  /** Errors whose message callers may see. */
  readonly errors?: OwnErrors
  /** Wraps a linked service. */
  wrapChild(child: unknown): AgenticService
  /** Called when the wrapper is closed. */
  forget(): void
}

/** Wraps a foreign service in our interface, without modifying the service or its emissions. */
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

/** A foreign map and how to convert it. */
interface ForeignMap<Item> {
  /** The kind of its members. */
  readonly kind: MemberFailure["kind"]
  /** Emits the whole map, any number of times. */
  readonly source: Source<unknown>
  /**
   * Converts an entry to an item: the former one if unchanged, or `undefined` for an absent one. A throw leaves out the entry.
   */
  toItem(entry: unknown, key: string, before: Item | undefined): Item | undefined
  /** Reports invalid entries, once while they stay. */
  readonly report: Report
}

/** Creates a live map's feed from a foreign map. Invalid entries are left out; others are served. */
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

/** Converts a foreign state: `{ schema, value }`, with an optional description. */
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
 * Creates a converter of foreign links: bare services, or objects with a `service` like ours. The description comes from the
 * link or from the service's `linkDescriptions`. A link without a target is absent.
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
