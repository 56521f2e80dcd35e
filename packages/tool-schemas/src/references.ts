import { isRecord, parsePointer } from "@x/base"
import type { Keywords } from "./json-schema.js"
import { SchemaError } from "./schema-error.js"

/** Returns a schema's keywords: `true` accepts anything, `false` nothing. */
export function toSource(schema: unknown): Keywords {
  if (typeof schema === "boolean") return fromBoolean(schema)
  if (isRecord(schema)) return schema
  throw new SchemaError(`the schema is ${String(schema)}: expected an object or a boolean`, { code: "not_a_schema" })
}

/** Returns the keywords of a boolean schema. */
export function fromBoolean(schema: boolean): Keywords {
  return schema ? {} : { not: {} }
}

/**
 * Resolves a `$ref`: any JSON Pointer (RFC 6901) into the schema itself, or an anchor.
 *
 * @throws SchemaError `network_ref` for an external reference, which is never fetched; `dangling_ref` for a missing target or a
 *   cycle.
 */
export function resolveRef(ref: string, base: Keywords): unknown {
  const seen = new Set<unknown>()
  const found = followRef(ref, base)
  let target = found
  while (isRecord(target) && typeof target["$ref"] === "string") {
    if (seen.has(target)) throw new SchemaError(`$ref "${ref}" refers to itself`, { code: "dangling_ref" })
    seen.add(target)
    target = followRef(target["$ref"], base)
  }
  return found
}

function followRef(ref: string, base: Keywords): unknown {
  const fragment = toFragment(ref, base)
  const path = parsePointer(fragment)
  if (path === undefined) return findAnchor(fragment, base, ref)
  let target: unknown = base
  for (const key of path) {
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) throw dangling(ref)
    target = Reflect.get(target, key)
  }
  if (typeof target !== "boolean" && !isRecord(target)) throw dangling(ref)
  return target
}

/** Finds a schema by its anchor: `$anchor`, or up to draft 7 an id that consists of a fragment. */
function findAnchor(name: string, base: Keywords, ref: string): unknown {
  const queue: unknown[] = [base]
  const seen = new Set<unknown>()
  for (const next of queue) {
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    if (seen.size > MAX_SEARCHED) break
    seen.add(next)
    const { $anchor, $dynamicAnchor, $id, id }: Keywords = { ...next }
    if ([$anchor, $dynamicAnchor].includes(name) || [$id, id].includes(`#${name}`)) return next
    queue.push(...Object.values(next))
  }
  throw dangling(ref)
}

/** The maximum of objects searched for an anchor. */
const MAX_SEARCHED = 10_000

function toFragment(ref: string, base: Keywords): string {
  const id = base["$id"]
  const local = typeof id === "string" && ref.startsWith(`${id}#`) ? ref.slice(id.length) : ref
  if (!local.startsWith("#")) {
    throw new SchemaError(`$ref is "${ref}": expected one within the schema, such as "#/$defs/name"`, {
      code: "network_ref",
    })
  }
  try {
    return decodeURIComponent(local.slice(1))
  } catch {
    // Invalid percent-encoding points nowhere.
  }
  throw dangling(ref)
}

function dangling(ref: string): SchemaError {
  return new SchemaError(`$ref "${ref}" points to nothing: expected a schema at that place`, { code: "dangling_ref" })
}
