import type { ToolEntry } from "@x/mcp-adapter"
import { isRecord } from "./is-record.js"
import { toKinds, type ValueKind } from "./value-kind.js"

/** One field of an action as it is given on the command line. */
export interface Flag {
  /** The field's own name; the flag is that after `--`. */
  readonly name: string
  /** What its value may be; what its items may be, where it repeats. */
  readonly kinds: readonly ValueKind[]
  /** The values it may have, where they are few; any otherwise. */
  readonly choices: readonly unknown[] | undefined
  /** Whether it is given once for each item of a list. */
  readonly repeats: boolean
  /** Whether the action wants it. */
  readonly required: boolean
  /** What the schema says happens without it. */
  readonly fallback: unknown
  /** What it is for. */
  readonly description: string
}

/** The fields of an action that can be flags. The others, whose names are taken or no words, can be given with `--json`. */
export function toFlags({ definition }: ToolEntry, taken: readonly string[]): readonly Flag[] {
  const { properties, required } = definition.inputSchema
  if (!isRecord(properties)) return []
  const wanted = Array.isArray(required) ? required : []
  return Object.entries(properties)
    .filter(([name]) => /^[A-Za-z0-9][\w.-]*$/.test(name) && !name.startsWith("no-") && !taken.includes(name))
    .map(([name, schema]) => toFlag(name, isRecord(schema) ? schema : {}, wanted.includes(name)))
}

function toFlag(name: string, schema: Readonly<Record<string, unknown>>, required: boolean): Flag {
  const { items, default: fallback, description } = schema
  const repeats = schema["type"] === "array"
  const one = repeats ? (isRecord(items) ? items : {}) : schema
  return {
    name,
    kinds: toKinds(one),
    choices: choicesOf(one),
    repeats,
    required,
    fallback,
    description: typeof description === "string" ? description : "",
  }
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]]
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined
}
