import { LRUCache } from "lru-cache"
import { INTERNAL_ERROR } from "../../handlers/handler.js"
import { isToolPage } from "../../handlers/tool-pages.js"
import type { Host } from "../../runtime/host.js"
import { commonEnds } from "../../runtime/list-map.js"
import { type Encoded, joinEncoded } from "./encoded.js"

/**
 * Encodes a message as JSON. The text of our tool lists is not rebuilt: it is kept in chunks, shared by all lists with the same
 * tools in the same order, in any view, exposure, era and endpoint.
 *
 * @param host - The adapter's host, which owns the kept chunks.
 */
export function encodeMessage(host: Host, message: object): Encoded {
  try {
    return encode(host, message)
  } catch (cause) {
    return encodeFault(host, message, cause)
  }
}

/** Encodes a message as a string, without reuse of kept chunks. */
export function writeMessage(host: Host, message: object): string {
  try {
    return JSON.stringify(message)
  } catch (cause) {
    return encodeFault(host, message, cause)
  }
}

/**
 * Encodes an internal error instead of an answer that JSON cannot represent, such as an extension's, so that every request is
 * answered.
 *
 * @throws `cause`, unless the message answers a request.
 */
function encodeFault(host: Host, message: object, cause: unknown): string {
  if (!("id" in message) || "method" in message) throw cause
  const report = "an answer cannot be encoded as JSON: expected its handler to return plain JSON"
  host.report({ code: "handler_failed", message: report, cause })
  const error = { code: INTERNAL_ERROR, message: "internal error" }
  return JSON.stringify({ jsonrpc: "2.0", id: message.id, error })
}

function encode(host: Host, message: object): Encoded {
  const result: unknown = Reflect.get(message, "result")
  const tools: unknown = Reflect.get(Object(result), "tools")
  if (!isToolPage(tools) || tools.length < FEW) return JSON.stringify(message)
  mark ??= crypto.randomUUID()
  const rest = JSON.stringify({ ...message, result: { ...Object(result), tools: mark } })
  const [before = "", after = ""] = rest.split(`"${mark}"`)
  return joinEncoded(`${before}[`, storeOf(host)(tools), `]${after}`)
}

/** Shorter lists are encoded as fast as they are assembled. */
const FEW = 8

/**
 * A placeholder for the tools. Unguessable for authors of messages. Created late: workers provide no random values while
 * loading.
 */
let mark: string | undefined

/** Returns the bytes of a list of tools, separated by commas. */
type ToolBytes = (tools: readonly object[]) => readonly Uint8Array[]

const stores = new WeakMap<Host, ToolBytes>()

function storeOf(host: Host): ToolBytes {
  const store = stores.get(host) ?? createToolBytes(MAX_BYTES)
  stores.set(host, store)
  return store
}

/** The most bytes that one adapter keeps, of chunks and of tool texts each. */
const MAX_BYTES = 32 * 2 ** 20

/** One tool's text and its unique number. */
interface ToolText {
  readonly id: number
  readonly text: string
  /** Whether a chunk ends after it. */
  readonly last: boolean
}

/**
 * Creates the store of chunks.
 *
 * A chunk ends at a tool whose text says so, not after a fixed number: a tool that appears or vanishes changes its own chunk,
 * rarely the next one. The least recently used chunk is dropped first, and rebuilt on demand.
 */
export function createToolBytes(maxBytes: number): ToolBytes {
  const textOf = createTexts(maxBytes)
  const chunks = new LRUCache<string, Uint8Array>({ maxSize: maxBytes, sizeCalculation: ({ length }) => length + 1 })
  const encode = ({ key, texts }: Part): Uint8Array => {
    const kept = chunks.get(key)
    if (kept !== undefined) return kept
    const bytes = encoder.encode(`${key.startsWith(",") ? "," : ""}${texts.map(({ text }) => text).join(",")}`)
    chunks.set(key, bytes)
    return bytes
  }
  // Keyed by the list object. Keeping the chunks themselves here would prevent the cache from dropping them.
  const cuts = new WeakMap<readonly object[], readonly Part[]>()
  let last: Cut = { tools: [], parts: [] }
  return (tools) => {
    const parts = cuts.get(tools) ?? cut(tools, { before: last, textOf })
    cuts.set(tools, parts)
    last = { tools, parts }
    return parts.map(encode)
  }
}

/** Consecutive tools in one chunk. */
interface Part {
  /** The numbers of the texts; begins with a comma unless the part is first in its list. */
  readonly key: string
  /** The texts of the tools. */
  readonly texts: readonly ToolText[]
  /** Whether its last tool ends the chunk, whatever follows. */
  readonly ended: boolean
}

/** A list and its parts. */
interface Cut {
  readonly tools: readonly object[]
  readonly parts: readonly Part[]
}

/** Cuts a list into parts, reusing those of the previous list except where the two differ. */
function cut(
  tools: readonly object[],
  { before, textOf }: { readonly before: Cut; readonly textOf: (tool: object) => ToolText },
): readonly Part[] {
  const { head, tail } = commonEnds(before.tools, tools)
  const parts = endedWithin(before.parts, head)
  let at = parts.reduce((sum, { texts }) => sum + texts.length, 0)
  // Once both lists have a part beginning at the same tool, all later parts are the same.
  const starts = startsOf(before.parts, before.tools.length - tail)
  const shift = before.tools.length - tools.length
  while (at < tools.length) {
    const same = parts.length > 0 ? starts.get(at + shift) : undefined
    if (same !== undefined) return [...parts, ...before.parts.slice(same)]
    const part = takePart(tools, at, textOf)
    parts.push(toPart(part, parts.length === 0))
    at += part.texts.length
  }
  return parts
}

/** Returns the parts that end on their own within the first `head` tools. */
function endedWithin(parts: readonly Part[], head: number): Part[] {
  let at = 0
  const beyond = parts.findIndex(({ ended, texts }) => {
    at += texts.length
    return !ended || at > head
  })
  return parts.slice(0, beyond < 0 ? parts.length : beyond)
}

/** Maps places to the parts that begin there, from a given place on. The first part has no leading comma, so it is left out. */
function startsOf(parts: readonly Part[], from: number): ReadonlyMap<number, number> {
  const starts = new Map<number, number>()
  let at = 0
  for (const [index, { texts }] of parts.entries()) {
    if (index > 0 && at >= from) starts.set(at, index)
    at += texts.length
  }
  return starts
}

/** Returns the texts of the part that begins at a place. */
function takePart(tools: readonly object[], at: number, textOf: (tool: object) => ToolText): Omit<Part, "key"> {
  const texts: ToolText[] = []
  for (const tool of tools.slice(at, at + MOST)) {
    const text = textOf(tool)
    texts.push(text)
    if (text.last) return { texts, ended: true }
  }
  return { texts, ended: texts.length === MOST }
}

function toPart({ texts, ended }: Omit<Part, "key">, first: boolean): Part {
  return { key: `${first ? "" : ","}${texts.map(({ id }) => id).join(",")}`, texts, ended }
}

/** A chunk ends about every 128 tools, and after four times as many at the latest. */
const CHUNK = 128
const MOST = 4 * CHUNK

/** Creates the store of texts: tools with equal JSON share one text, and each object is encoded once. */
function createTexts(maxBytes: number): (tool: object) => ToolText {
  const byTool = new WeakMap<object, ToolText>()
  const byText = new LRUCache<string, ToolText>({ maxSize: maxBytes, sizeCalculation: (_, text) => text.length + 1 })
  let count = 0
  return (tool) => {
    const known = byTool.get(tool)
    if (known !== undefined) return known
    const text = JSON.stringify(tool)
    const made = byText.get(text) ?? { id: count, text, last: hash(text) % CHUNK === 0 }
    count += 1
    byText.set(text, made)
    byTool.set(tool, made)
    return made
  }
}

/** Hashes the beginning of a text, which contains the name, with FNV-1a. */
function hash(text: string): number {
  let hashed = 0x811c9dc5
  for (let index = 0; index < Math.min(text.length, 64); index += 1) {
    hashed = Math.imul(hashed ^ text.charCodeAt(index), 0x01000193)
  }
  return (hashed ^ (hashed >>> 15)) >>> 0
}

const encoder = new TextEncoder()
