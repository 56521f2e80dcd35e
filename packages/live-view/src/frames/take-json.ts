import { type JsonValue, jsonSize, shorten, toJson } from "@x/tool-schemas/json"

/** A value as JSON of bounded size. */
export interface Taken {
  /** The value, or as much of it as there is room for. */
  readonly json: JsonValue
  /** Whether it is not all of it. */
  readonly cut?: true
}

/** How much of a value is taken. */
export interface Room {
  /** The most characters of JSON, about. */
  readonly chars: number
  /** The most values, nested ones included: what bounds the work, whatever the value. */
  readonly values: number
}

/** Takes as much of a value as there is room for. Never throws. */
export function takeJson(value: unknown, { chars, values }: Room): Taken {
  const json = toJson(value, { maxDepth: 50, maxValues: values })
  if ((jsonSize(json) ?? 0) <= chars) return { json }
  return { json: shorten(json, chars, { pointer: "", offset: 0 }), cut: true }
}

/** What is taken for a look. */
export const GLANCE: Room = { chars: 2_000, values: 500 }

/** What is taken to be played again. */
export const WHOLE: Room = { chars: 1_000_000, values: 100_000 }
