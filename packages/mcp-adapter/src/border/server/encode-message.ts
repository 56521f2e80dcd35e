import { LRUCache } from "lru-cache"
import { isToolPage } from "../../handlers/tool-pages.js"
import type { Host } from "../../runtime/host.js"
import { commonEnds } from "../../runtime/list-map.js"
import { type Encoded, joinEncoded } from "./encoded.js"

/**
 * Writes a message as JSON. Where it lists tools as we list them, their text is not made anew: it is kept in chunks, which
 * are shared by whatever lists the same tools in the same order, in whichever view, exposure, era and endpoint.
 *
 * @param host - Whose adapter it is: what is kept belongs to it.
 */
export function encodeMessage(host: Host, message: object): Encoded {
  const result: unknown = Reflect.get(message, "result")
  const tools: unknown = Reflect.get(Object(result), "tools")
  if (!isToolPage(tools) || tools.length < FEW) return JSON.stringify(message)
  mark ??= crypto.randomUUID()
  const rest = JSON.stringify({ ...message, result: { ...Object(result), tools: mark } })
  const [before = "", after = ""] = rest.split(`"${mark}"`)
  return joinEncoded(`${before}[`, storeOf(host)(tools), `]${after}`)
}

/** Fewer are written as fast as they are put together. */
const FEW = 8

/** Stands for the tools while the rest is written; nobody knows it, so nobody can have written it. Made late: workers let nobody make it up while they load. */
let mark: string | undefined

/** Gives the bytes of some tools, with commas between them. */
type ToolBytes = (tools: readonly object[]) => readonly Uint8Array[]

const stores = new WeakMap<Host, ToolBytes>()

function storeOf(host: Host): ToolBytes {
  const store = stores.get(host) ?? createToolBytes(MAX_BYTES)
  stores.set(host, store)
  return store
}

/** How many bytes one adapter keeps, of chunks, and of the texts of tools. */
const MAX_BYTES = 32 * 2 ** 20

/** The text of one tool, under a number that no other text has. */
interface ToolText {
  readonly id: number
  readonly text: string
  /** Whether a chunk ends with it. */
  readonly last: boolean
}

/**
 * Keeps nothing yet.
 *
 * A chunk ends where the text of a tool says so, and not after so many: a tool that comes or goes changes the chunk that it is
 * in, seldom the next as well. The one least recently used goes first, and is made again when it is wanted.
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
  // By the list itself, for as long as nothing in it changes. Whoever held the chunks would keep them from being forgotten.
  const cuts = new WeakMap<readonly object[], readonly Part[]>()
  let last: Cut = { tools: [], parts: [] }
  return (tools) => {
    const parts = cuts.get(tools) ?? cut(tools, { before: last, textOf })
    cuts.set(tools, parts)
    last = { tools, parts }
    return parts.map(encode)
  }
}

/** Tools that stand in one chunk, one after the other. */
interface Part {
  /** Stands for what is written: the numbers of the texts. Begins with a comma, but at the beginning of a list. */
  readonly key: string
  /** What is written of each. */
  readonly texts: readonly ToolText[]
  /** Whether the last of them ends it, whatever follows. */
  readonly ended: boolean
}

/** A list, and the parts it is in. */
interface Cut {
  readonly tools: readonly object[]
  readonly parts: readonly Part[]
}

/** Cuts a list into parts: those of the list before, but for where the two differ. */
function cut(
  tools: readonly object[],
  { before, textOf }: { readonly before: Cut; readonly textOf: (tool: object) => ToolText },
): readonly Part[] {
  const { head, tail } = commonEnds(before.tools, tools)
  const parts = endedWithin(before.parts, head)
  let at = parts.reduce((sum, { texts }) => sum + texts.length, 0)
  // Where the parts of both begin at the same tool, all that follow are the same.
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

/** The parts that end by themselves within so many tools. */
function endedWithin(parts: readonly Part[], head: number): Part[] {
  let at = 0
  const beyond = parts.findIndex(({ ended, texts }) => {
    at += texts.length
    return !ended || at > head
  })
  return parts.slice(0, beyond < 0 ? parts.length : beyond)
}

/** Which part begins at which place, from a place on; the first part is written unlike the others, and is none of them. */
function startsOf(parts: readonly Part[], from: number): ReadonlyMap<number, number> {
  const starts = new Map<number, number>()
  let at = 0
  for (const [index, { texts }] of parts.entries()) {
    if (index > 0 && at >= from) starts.set(at, index)
    at += texts.length
  }
  return starts
}

/** The texts of the part that begins at a place. */
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

/** A chunk ends about every so many tools, and after four times as many at the latest. */
const CHUNK = 128
const MOST = 4 * CHUNK

/** Gives equal texts to tools that are written the same; the same object is written once. */
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

/** FNV-1a, of the beginning: the name stands there. */
function hash(text: string): number {
  let hashed = 0x811c9dc5
  for (let index = 0; index < Math.min(text.length, 64); index += 1) {
    hashed = Math.imul(hashed ^ text.charCodeAt(index), 0x01000193)
  }
  return (hashed ^ (hashed >>> 15)) >>> 0
}

const encoder = new TextEncoder()
