import type { AgenticService } from "./service.js"

/**
 * Returns the identity of a service's current instance: an opaque text, only to be compared, never parsed or shown to a model.
 * It is the service's {@link Occupancy} if it has one, else its author's `id`, else an identity that this process mints for the
 * service object.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { thingOf } from "@x/agentic-service/adapter"
 *
 * const named = createAgenticService({ name: "draft", id: "doc-7" })
 * const reopened = createAgenticService({ name: "draft", id: "doc-7" })
 * const unnamed = createAgenticService({ name: "draft" })
 * console.log(thingOf(named) === thingOf(reopened), thingOf(named) === thingOf(unnamed)) // true false
 * ```
 */
export function thingOf(service: AgenticService): string {
  if (service.occupancy !== undefined) return service.occupancy.current()
  return durableThingOf(service) ?? mintedThingOf(service)
}

/**
 * Returns the identity that holds in every process, made of the author's `id`. Returns `undefined` without an `id`, and for a
 * service with an {@link Occupancy}, which belongs to a connection of this process.
 *
 * @example
 * ```ts
 * import { createAgenticService } from "@x/agentic-service"
 * import { durableThingOf, thingOf } from "@x/agentic-service/adapter"
 *
 * const named = createAgenticService({ name: "draft", id: "doc-7" })
 * console.log(durableThingOf(named) === thingOf(named)) // true
 * console.log(durableThingOf(createAgenticService({ name: "draft" }))) // undefined
 * ```
 */
export function durableThingOf({ id, occupancy }: AgenticService): string | undefined {
  return id === undefined || occupancy !== undefined ? undefined : composeThing("id", id)
}

/**
 * Mints a unique identity, in this process and all others.
 *
 * @example
 * ```ts
 * import { newThing } from "@x/agentic-service/adapter"
 *
 * console.log(newThing() === newThing()) // false
 * ```
 */
export function newThing(): string {
  // Created on first use, because some hosts provide no random numbers while a module loads.
  nonce ??= toHex(crypto.getRandomValues(new Uint8Array(12)))
  count += 1
  return composeThing(nonce, String(count))
}

/**
 * Composes one identity from several parts, such as a tab, its load and its page's own identity. Equal parts give equal
 * identities.
 *
 * @example
 * ```ts
 * import { composeThing } from "@x/agentic-service/adapter"
 *
 * console.log(composeThing("tab 1", "load 2") === composeThing("tab 1", "load 2")) // true
 * console.log(composeThing("a", "bc") === composeThing("ab", "c")) // false
 * ```
 */
export function composeThing(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

let nonce: string | undefined
let count = 0
const minted = new WeakMap<AgenticService, string>()

function mintedThingOf(service: AgenticService): string {
  const known = minted.get(service)
  if (known !== undefined) return known
  const thing = newThing()
  minted.set(service, thing)
  return thing
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
