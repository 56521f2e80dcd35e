import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client"
import { isRecord } from "@x/base"
import { readParamHeaders } from "@x/tool-schemas"
import type { Listed } from "../upstream.js"

/** The kinds of a server's lists. */
export type ListKind = "tools" | "resources" | "templates" | "prompts"

/** Each list's method, the field of its items, and the member that every item must have. */
const lists: Readonly<Record<ListKind, { readonly method: string; readonly field: string; readonly key: string }>> = {
  tools: { method: "tools/list", field: "tools", key: "name" },
  resources: { method: "resources/list", field: "resources", key: "uri" },
  templates: { method: "resources/templates/list", field: "resourceTemplates", key: "uriTemplate" },
  prompts: { method: "prompts/list", field: "prompts", key: "name" },
}

/** The result of reading a list. */
export interface ListOutcome {
  /** The valid items, the first of each key. */
  readonly items: readonly Listed[]
  /** Descriptions of the items that were left out. */
  readonly faults: readonly string[]
  /** Whether the list went beyond the limit. */
  readonly endless: boolean
}

/** Accepts any object as a result, so that one invalid item does not lose the others. */
export const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-upstream",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "expected an object" }] }),
  },
}

/** Reads every page of a list, within the limits; stops at a repeated cursor. */
export async function listAll(client: Client, kind: ListKind, bounds: ListBounds): Promise<ListOutcome> {
  const { field, key } = lists[kind]
  const items = new Map<string, Listed>()
  const faults: string[] = []
  const cursors = new Set<string>()
  const headers = sendsHeaders(client)
  let cursor: string | undefined
  while (items.size < bounds.most && cursors.size < MOST_PAGES) {
    const page = await fetchPage(client, kind, { cursor, bounds })
    for (const item of itemsOf(page[field], field, faults)) take(item, kind, { items, faults, key, headers })
    const next = page["nextCursor"]
    if (typeof next !== "string") return { items: [...items.values()], faults, endless: false }
    if (cursors.has(next)) break
    cursors.add(next)
    cursor = next
  }
  return { items: [...items.values()].slice(0, bounds.most), faults, endless: true }
}

function fetchPage(
  client: Client,
  kind: ListKind,
  { cursor, bounds }: { readonly cursor: string | undefined; readonly bounds: ListBounds },
): Promise<Record<string, unknown>> {
  const params = cursor === undefined ? {} : { cursor }
  const { timeoutMs: timeout, signal } = bounds
  return client.request({ method: lists[kind].method, params }, anyResult, { timeout, signal })
}

function itemsOf(found: unknown, field: string, faults: string[]): readonly unknown[] {
  if (Array.isArray(found)) return found
  faults.push(`a page of a list came without its "${field}"`)
  return []
}

/** The most pages, against a server that returns a new cursor with each empty page. */
const MOST_PAGES = 10_000

/** The limits of reading a list. */
export interface ListBounds {
  /** The most items. */
  readonly most: number
  /** The most milliseconds that a page may take. */
  readonly timeoutMs: number
  /** Cancels the reading. */
  readonly signal: AbortSignal
}

/** Returns whether arguments are also sent as headers: in the modern era, except over standard input and output. */
function sendsHeaders(client: Client): boolean {
  const { transport } = client
  if (transport === undefined || client.getProtocolEra() !== "modern") return false
  return !("stderr" in transport && "pid" in transport)
}

interface Taking {
  readonly items: Map<string, Listed>
  readonly faults: string[]
  /** The member that identifies an item. */
  readonly key: string
  /** Whether to check the annotations of arguments that are sent as headers. */
  readonly headers: boolean
}

function toolHeaderFault(tool: unknown): string | undefined {
  const { name, inputSchema }: Listed = Object(tool)
  const { fault } = readParamHeaders(inputSchema)
  return fault === undefined ? undefined : `tool ${JSON.stringify(String(name)).slice(0, 100)}: ${fault}`
}

function take(item: unknown, kind: ListKind, { items, faults, key, headers }: Taking): void {
  const fault = faultOf(item, kind, key) ?? (headers && kind === "tools" ? toolHeaderFault(item) : undefined)
  if (fault !== undefined) {
    if (faults.length < 20) faults.push(fault)
    return
  }
  const listed: Listed = { ...Object(item) }
  const id = String(listed[key])
  if (!items.has(id)) items.set(id, listed)
}

function faultOf(item: unknown, kind: ListKind, key: string): string | undefined {
  if (!isRecord(item)) return `an item of its ${kind} is not an object`
  const id = item[key]
  if (typeof id !== "string" || id === "") return `an item of its ${kind} has no "${key}"`
  if (kind === "tools" && !isRecord(item["inputSchema"]))
    return `tool ${JSON.stringify(id).slice(0, 100)} has no "inputSchema"`
  return undefined
}
