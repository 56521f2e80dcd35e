import type { AgenticService } from "./service.js"

/**
 * Returns the identity of what a service stands for now: an opaque text, to be compared and never parsed or shown to a model.
 * It is the service's {@link Occupancy} where it has one, else its author's `id`, else one that this process mints for the
 * service object and that lasts as long as the object does.
 */
export function thingOf(service: AgenticService): string {
  if (service.occupancy !== undefined) return service.occupancy.current()
  return durableThingOf(service) ?? mintedThingOf(service)
}

/**
 * Returns the identity that holds in every process: the one of the author's `id`. Returns `undefined` for a service without
 * one, and for a service with an {@link Occupancy}, which belongs to a connection of this process.
 */
export function durableThingOf({ id, occupancy }: AgenticService): string | undefined {
  return id === undefined || occupancy !== undefined ? undefined : composeThing("id", id)
}

/** Mints an identity that no other call returns, in this process or in another. */
export function newThing(): string {
  // Made at the first use: some hosts give out no random numbers while a module is loaded.
  nonce ??= toHex(crypto.getRandomValues(new Uint8Array(12)))
  count += 1
  return composeThing(nonce, String(count))
}

/** Makes one identity of several parts, such as a tab, its load and what the page says of itself. Equal parts are the same thing. */
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
