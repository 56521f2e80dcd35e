import type { Extra, SdkHandler } from "./sdk-handler.js"

/** One list of MCP: how it is asked for, and what tells its items apart. */
export interface ListKind {
  /** The method. */
  readonly method: "tools/list" | "resources/list" | "resources/templates/list"
  /** Where a result has its items. */
  readonly field: string
  /** What an item is known by. */
  readonly key: string
}

/** An item of a list, by what it is known by. */
export interface Item {
  /** Its name or URI. */
  readonly id: string
  /** The item as it is listed. */
  readonly definition: unknown
}

/** Every item that a handler lists, whatever its pages are. */
export async function listAll(handler: SdkHandler, kind: ListKind, extra: Extra): Promise<readonly Item[]> {
  const items: Item[] = []
  const seen = new Set<unknown>()
  let cursor: unknown
  // A cursor that comes again would never end.
  while (!seen.has(cursor)) {
    seen.add(cursor)
    const params = cursor === undefined ? {} : { cursor }
    const result = await handler({ method: kind.method, params }, extra)
    items.push(...toItems(result[kind.field], kind.key))
    cursor = result["nextCursor"]
  }
  return items
}

function toItems(definitions: unknown, key: string): readonly Item[] {
  if (!Array.isArray(definitions)) return []
  return definitions.map((definition: Readonly<Record<string, unknown>>) => ({
    id: String(definition[key]),
    definition,
  }))
}
