import { type JsonValue, jsonSize, shorten, toJson } from "@x/base"

/** A value as JSON of limited size. */
export interface Taken {
  /** The value, shortened if necessary. */
  readonly json: JsonValue
  /** Whether it was shortened. */
  readonly cut?: true
}

/** The size limit of a value. */
export interface Room {
  /** The approximate limit of JSON characters. */
  readonly chars: number
  /** The most values, including nested ones. It limits the work for any value. */
  readonly values: number
}

/** Converts a value to JSON within a size limit. Never throws. */
export function takeJson(value: unknown, { chars, values }: Room): Taken {
  const json = toJson(value, { maxDepth: 50, maxValues: values })
  if ((jsonSize(json) ?? 0) <= chars) return { json }
  return { json: shorten(json, chars, { pointer: "", offset: 0 }), cut: true }
}

/** The limit for display. */
export const GLANCE: Room = { chars: 2_000, values: 500 }

/** The limit for recordings. */
export const WHOLE: Room = { chars: 1_000_000, values: 100_000 }
