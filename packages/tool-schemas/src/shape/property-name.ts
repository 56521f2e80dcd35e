import { shortHash } from "../json/short-hash.js"

/** A name that every client takes for a property: itself, or what can be kept of it with a hash of the whole. */
export function toPropertyName(name: string): string {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name)
    ? name
    : `${name.replace(/[^A-Za-z0-9_.-]+/g, "_").slice(0, 50)}_${shortHash([name])}`
}
