import { newThing } from "@x/agentic-service/adapter"

// A module of its own, so that every part of an adapter gives an object the same key.
const keys = new WeakMap<object, string>()

/** Returns an object's unique key, minted at first use. */
export function objectKey(object: object): string {
  const key = keys.get(object) ?? newThing()
  keys.set(object, key)
  return key
}
