import { memberOf } from "../sources/member-of.js"

/**
 * Names positional parameters: each after its title, made legal (`[A-Za-z0-9_]`, at most 64) and unique;
 * without a title `value` where it is alone, else `arg1`, `arg2` and so on by position.
 */
export function nameArguments(schemas: readonly unknown[]): readonly string[] {
  const taken = new Set<string>()
  return schemas.map((schema, index) => {
    const fallback = schemas.length === 1 ? "value" : `arg${index + 1}`
    const name = makeUnique(fromTitle(memberOf(schema, "title")) || fallback, taken)
    taken.add(name)
    return name
  })
}

function fromTitle(title: unknown): string {
  if (typeof title !== "string") return ""
  const legal = title
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
  return legal.replaceAll(/^_+|_+$/g, "").slice(0, 64)
}

function makeUnique(name: string, taken: ReadonlySet<string>): string {
  for (let count = 2, candidate = name; ; count += 1) {
    if (!taken.has(candidate)) return candidate
    candidate = `${name.slice(0, 60)}_${count}`
  }
}
