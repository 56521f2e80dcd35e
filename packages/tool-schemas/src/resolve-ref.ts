import { SchemaError } from "./schema-error.js"
import { isSource, type SchemaSource } from "./schema-source.js"

/**
 * Finds what a `$ref` stands for: a JSON Pointer (RFC 6901) into the schema itself, wherever it points.
 *
 * @throws SchemaError `network_ref` for anything outside, which is never fetched; `dangling_ref` for what is not there,
 * or goes round in a circle.
 */
export function resolveRef(ref: string, base: SchemaSource): unknown {
  const seen = new Set<unknown>()
  let target = followPointer(ref, base)
  while (isSource(target) && typeof target["$ref"] === "string") {
    if (seen.has(target)) throw new SchemaError(`$ref "${ref}" refers to itself`, { code: "dangling_ref" })
    seen.add(target)
    target = followPointer(target["$ref"], base)
  }
  return followPointer(ref, base)
}

function followPointer(ref: string, base: SchemaSource): unknown {
  const pointer = toPointer(ref, base)
  if (pointer !== "" && !pointer.startsWith("/")) return findAnchor(pointer, base, ref)
  let target: unknown = base
  for (const step of pointer.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) throw dangling(ref)
    target = Reflect.get(target, key)
  }
  if (typeof target !== "boolean" && !isSource(target)) throw dangling(ref)
  return target
}

/** Finds what calls itself by a name: `$anchor`, and up to draft 7 an id that is a fragment only. */
function findAnchor(name: string, base: SchemaSource, ref: string): unknown {
  const queue: unknown[] = [base]
  const seen = new Set<unknown>()
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (typeof next !== "object" || next === null || seen.has(next)) continue
    if (seen.size > MAX_SEARCHED) break
    seen.add(next)
    const { $anchor, $dynamicAnchor, $id, id }: SchemaSource = { ...next }
    if ([$anchor, $dynamicAnchor].includes(name) || [$id, id].includes(`#${name}`)) return next
    queue.push(...Object.values(next))
  }
  throw dangling(ref)
}

/** How many objects of a schema are looked through for a name. */
const MAX_SEARCHED = 10_000

function toPointer(ref: string, base: SchemaSource): string {
  const id = base["$id"]
  const local = typeof id === "string" && ref.startsWith(`${id}#`) ? ref.slice(id.length) : ref
  if (!local.startsWith("#")) {
    throw new SchemaError(`$ref is "${ref}": expected one within the schema, such as "#/$defs/name"`, {
      code: "network_ref",
    })
  }
  try {
    const pointer = decodeURIComponent(local.slice(1))
    return pointer
  } catch {
    // Not percent-encoded as it should be: it points nowhere.
  }
  throw dangling(ref)
}

function dangling(ref: string): SchemaError {
  return new SchemaError(`$ref "${ref}" points to nothing: expected a schema at that place`, { code: "dangling_ref" })
}
