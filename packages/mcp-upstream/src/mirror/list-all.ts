import type { Client, StandardSchemaV1 } from "@modelcontextprotocol/client"
import { isRecord } from "@x/tool-schemas/json"
import type { Listed } from "../upstream.js"
import { headerFaultOf } from "./header-fault.js"

/** The lists of a server. */
export type ListKind = "tools" | "resources" | "templates" | "prompts"

/** What is known of each list: how it is asked for, where its items are, what each must have. */
const lists: Readonly<Record<ListKind, { readonly method: string; readonly field: string; readonly key: string }>> = {
  tools: { method: "tools/list", field: "tools", key: "name" },
  resources: { method: "resources/list", field: "resources", key: "uri" },
  templates: { method: "resources/templates/list", field: "resourceTemplates", key: "uriTemplate" },
  prompts: { method: "prompts/list", field: "prompts", key: "name" },
}

/** What came of reading a list. */
export interface ListOutcome {
  /** The items that can be used, the first of each key. */
  readonly items: readonly Listed[]
  /** What was left out, in words. */
  readonly faults: readonly string[]
  /** Whether it went on beyond the bound. */
  readonly endless: boolean
}

/** Takes any object as a result, so that one bad item does not cost the others. */
export const anyResult: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": {
    version: 1,
    vendor: "@x/mcp-upstream",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "expected an object" }] }),
  },
}

/** Reads every page of a list, within bounds; a cursor that was there before ends it. */
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

/** A server that hands out a new cursor each time, with nothing on its pages, ends here. */
const MOST_PAGES = 10_000

/** How a list is read. */
export interface ListBounds {
  /** The most items. */
  readonly most: number
  /** How long each page may take, in milliseconds. */
  readonly timeoutMs: number
  /** Gives it up. */
  readonly signal: AbortSignal
}

/** Whether arguments of calls are sent as headers, too: in the modern era, but over standard input and output. */
function sendsHeaders(client: Client): boolean {
  const { transport } = client
  if (transport === undefined || client.getProtocolEra() !== "modern") return false
  return !("stderr" in transport && "pid" in transport)
}

interface Taking {
  readonly items: Map<string, Listed>
  readonly faults: string[]
  /** The member that tells items apart. */
  readonly key: string
  /** Whether the annotations of arguments that are sent as headers must be valid. */
  readonly headers: boolean
}

function toolHeaderFault(tool: unknown): string | undefined {
  const { name, inputSchema }: Listed = Object(tool)
  const fault = headerFaultOf(inputSchema)
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
  if (!isRecord(item)) return `an item of its ${kind} is no object`
  const id = item[key]
  if (typeof id !== "string" || id === "") return `an item of its ${kind} has no "${key}"`
  if (kind === "tools" && !isRecord(item["inputSchema"]))
    return `tool ${JSON.stringify(id).slice(0, 100)} has no "inputSchema"`
  return undefined
}
