import type { JsonSchema } from "@x/tool-schemas"
import { isRecord } from "@x/tool-schemas/json"
import { type Entries, emptyEntries, type Feed, isUnchanged } from "../maps/live-map.js"
import { createSourceFeed } from "../maps/source-feed.js"
import { memberOf } from "../member-of.js"
import type { Report } from "../report.js"
import type { AgenticService, Link, MemberFailure, State } from "../service.js"
import { ServiceError } from "../service-error.js"
import type { Source } from "../sources/source.js"
import type { ForeignService } from "./recognise-service.js"

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
export function createForeignFeed<Item>({ kind, source, toItem, report }: ForeignMap<Item>): Feed<Item> {
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
export function toForeignState(entry: unknown, _key: string, before: State | undefined): State {
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
export function createForeignLinks(
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
