import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { compareText, isRecord } from "@x/base"
import equal from "fast-deep-equal"
import type { ListKind } from "../definitions/list-all.js"
import type { Listed, UpstreamEvent, UpstreamOptions } from "../upstream.js"

/** Remembers tool definitions, and decides which may be served. */
export interface Definitions {
  /** Compares the current tools with the remembered ones. @returns The tools that may be served. */
  take(tools: readonly Listed[]): readonly Listed[]
  /** Reports hidden characters in the items of another list. */
  look(kind: Exclude<ListKind, "tools">, items: readonly Listed[]): void
  /** Accepts a definition that is held back, by its digest. Returns whether that definition was held back. */
  accept(tool: string, digest: string): boolean
  /** Returns why a tool is held back; `undefined` if it is not. */
  reason(tool: string): string | undefined
}

/** Creates the registry of definitions, starting from the stored ones. */
export function createDefinitions(
  { onChange: policy = "pass", seen: given }: Pick<UpstreamOptions, "onChange" | "seen">,
  emit: (event: UpstreamEvent) => void,
): Definitions {
  const store = policy === "hold" ? given : undefined
  const kept = store?.read()
  const seen = new Map<string, Listed>(Object.entries(kept?.accepted ?? {}))
  const held = new Map<string, Listed>()
  const keep = (): void => store?.write({ accepted: Object.fromEntries(seen), held: Object.fromEntries(held) })
  const reportHidden = createHiddenReport(emit)
  const admit = (definition: Listed): boolean => {
    const tool = String(definition["name"])
    const before = seen.get(tool)
    if (before === undefined) {
      seen.set(tool, definition)
      reportHidden("tool", tool, definition)
      return true
    }
    if (equal(before, definition)) {
      held.delete(tool)
      return true
    }
    const pending = held.get(tool)
    if (pending !== undefined && equal(pending, definition)) return false
    reportHidden("tool", tool, definition)
    emit({
      type: "definition_changed",
      tool,
      diff: diffOf(before, definition),
      digest: digestOf(definition),
      held: policy === "hold",
    })
    if (policy === "hold") held.set(tool, definition)
    else seen.set(tool, definition)
    return policy === "pass"
  }
  return {
    take(tools) {
      const served = tools.filter(admit)
      keep()
      return served
    },
    look(kind, items) {
      const { word, key } = LOOKED_AT[kind]
      for (const item of items) reportHidden(word, String(item[key]), item)
    },
    accept(tool, digest) {
      const definition = held.get(tool)
      if (definition === undefined || digestOf(definition) !== digest) return false
      seen.set(tool, definition)
      held.delete(tool)
      keep()
      return true
    },
    reason: (tool) =>
      held.has(tool)
        ? "its definition has changed since it was first seen, and the operator has not accepted the change"
        : undefined,
  }
}

/** Returns a digest of a definition, independent of the order of its members. */
export function digestOf(definition: Listed): string {
  const sorted = JSON.stringify(definition, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted))).slice(0, 32)
}

const LOOKED_AT = {
  resources: { word: "resource", key: "uri" },
  templates: { word: "template", key: "uriTemplate" },
  prompts: { word: "prompt", key: "name" },
} as const

/** Reports each finding once, up to a limit, against servers that keep inventing new ones. */
function createHiddenReport(emit: (event: UpstreamEvent) => void) {
  const told = new Set<string>()
  return (word: string, name: string, definition: Listed): void => {
    const places = findHidden(definition)
    if (places.length === 0 || told.size >= MOST_HIDDEN) return
    // Makes hidden characters visible in the report.
    const shown = toVisible(JSON.stringify(name.slice(0, 200)))
    const message = `${word} ${shown} has characters that people do not see, at ${toVisible(places.join(", "))}: read it before you trust it`
    if (told.has(message)) return
    told.add(message)
    emit({ type: "diagnostic", code: "hidden_characters", message })
  }
}

/** The most findings reported per server. */
const MOST_HIDDEN = 1_000

function toVisible(text: string): string {
  return text.replace(new RegExp(HIDDEN, "gu"), (found) =>
    [...found].map((each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`).join(""),
  )
}

/** Returns the members in which two definitions differ. */
export function diffOf(before: Listed, after: Listed): Record<string, { before: unknown; after: unknown }> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const differing = names.filter((name) => !equal(before[name], after[name]))
  return Object.fromEntries(differing.map((name) => [name, { before: before[name], after: after[name] }]))
}

/**
 * Characters that models read and people cannot see: tags, zero-width and direction marks and other controls, fillers, and
 * repeated variation selectors. Line ends and the joiners of emoji and scripts are allowed.
 */
const HIDDEN = /(?![\t\n\r\u200C\u200D])[\p{Cf}\p{Cc}]|[\u115F\u1160\u3164]|[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}/u

/** Returns the JSON Pointers of texts with hidden characters, at most ten. */
function findHidden(definition: unknown): readonly string[] {
  return [...hiddenIn(definition, "", 0)].slice(0, 10)
}

function* hiddenIn(value: unknown, at: string, depth: number): Iterable<string> {
  if (typeof value === "string" && HIDDEN.test(value)) yield at || "/"
  if (typeof value !== "object" || value === null || depth > 32) return
  for (const [key, member] of Object.entries(value)) {
    if (HIDDEN.test(key)) yield `${at}/(a key)`
    yield* hiddenIn(member, `${at}/${key}`, depth + 1)
  }
}

/** Creates a filter of tools by name; a `*` matches any characters. */
export function createAllows(
  include: readonly string[] | undefined,
  exclude: readonly string[] = [],
): (tool: Listed) => boolean {
  const wanted = include?.map(toPattern)
  const unwanted = exclude.map(toPattern)
  return (tool) => {
    const name = String(tool["name"])
    return (wanted?.some((each) => each.test(name)) ?? true) && !unwanted.some((each) => each.test(name))
  }
}

function toPattern(name: string): RegExp {
  const parts = name.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
  return new RegExp(`^${parts.join(".*")}$`, "su")
}
