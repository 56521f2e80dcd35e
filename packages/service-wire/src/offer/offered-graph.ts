import { type AgenticService, toAgenticService } from "@x/agentic-service"
import { type MemberFailure, thingOf } from "@x/agentic-service/adapter"
import { toMessage } from "@x/base"
import { MAP_NAMES, type MapName } from "../frames.js"
import type { WireLimits } from "../limits.js"
import { followService, type OfferedListener, type OfferedService } from "./offered-service.js"

/** All services that the root leads to, each once, however many links lead to it. */
export interface OfferedGraph {
  /** The root. */
  readonly root: OfferedService
  /** Returns the service of a number. */
  find(id: number): OfferedService | undefined
  /** Returns the service of an identity, or `undefined` if none or several have it. */
  findThing(thing: string): OfferedService | undefined
  /** Returns a link's target, followed from now on, or `undefined` once the service limit is reached. */
  join(service: AgenticService): OfferedService | undefined
  /** Iterates over all services, including those that join during the iteration. */
  all(): Iterable<OfferedService>
  /** Drops services that no announced link reaches, and returns their ids. */
  sweep(): readonly number[]
  /** Notes that an announced link has been removed, so that the next sweep has work. */
  unlinked(): void
  /** Checks sources again whose current value may be stale. */
  settle(): void
  /** Stops following all services. */
  close(): void
}

/** Follows the root. Linked services join as their links are sent. */
export function createOfferedGraph(
  service: AgenticService,
  { most, ...listener }: OfferedListener & { readonly most: () => number },
): OfferedGraph {
  const byService = new Map<AgenticService, OfferedService>()
  const byId = new Map<number, OfferedService>()
  let nextId = 0
  let loose = false

  const add = (target: AgenticService): OfferedService => {
    const id = nextId
    nextId += 1
    const offered = followService(id, target, listener)
    byService.set(target, offered)
    byId.set(id, offered)
    return offered
  }
  const remove = (offered: OfferedService): void => {
    offered.stop()
    byService.delete(offered.service)
    byId.delete(offered.id)
  }
  const root = add(service)

  return {
    root,
    find: (id) => byId.get(id),
    findThing(thing) {
      const [found, ...others] = [...byService.values()].filter(({ service }) => thingOf(service) === thing)
      return others.length === 0 ? found : undefined
    },
    join(target) {
      const known = byService.get(toAgenticService(target))
      if (known !== undefined) return known
      return byService.size < most() ? add(toAgenticService(target)) : undefined
    },
    all: () => byService.values(),
    sweep() {
      if (!loose) return []
      loose = false
      const reached = reach(root, byService)
      const left = [...byService.values()].filter((offered) => !reached.has(offered))
      for (const offered of left) remove(offered)
      return left.filter(({ named }) => named).map(({ id }) => id)
    },
    unlinked() {
      loose = true
    },
    settle() {
      for (const { maps } of byService.values()) for (const kind of MAP_NAMES) maps[kind].settle()
    },
    close() {
      for (const offered of [...byService.values()]) remove(offered)
    },
  }
}

function reach(
  root: OfferedService,
  byService: ReadonlyMap<AgenticService, OfferedService>,
): ReadonlySet<OfferedService> {
  const reached = new Set([root])
  // The set grows during the loop and holds each service once, so cycles end.
  for (const { told, dirty, maps } of reached) {
    const soon = [...dirty.links].flatMap((key) => maps.links.find(key) ?? [])
    for (const { service } of [...[...told.links.values()].map((one) => one.told), ...soon]) {
      const target = byService.get(toAgenticService(service))
      if (target !== undefined) reached.add(target)
    }
  }
  return reached
}

/** Returns the message of a failure in the application, without its key. */
export function toFailureText({ cause }: MemberFailure): string {
  const text = toMessage(cause)
  return text.slice(0, FAILURE_TEXT)
}

const FAILURE_TEXT = 500

/** Counts what the other side holds, and remembers members that did not fit. */
export interface Budget {
  /** Counts a declared member if it fits. Returns whether it does. */
  declare(size: number): boolean
  /** Whether a member of a size fits in place of one of another size. */
  fits(size: number, before: number): boolean
  /** Replaces one counted member's size by another's; 0 means no member. */
  change(size: number, before: number): void
  /** Remembers a member that did not fit. */
  leaveOut(offered: OfferedService, kind: MapName, key: string): void
  /** Whether the member ever failed to fit, even if it has fitted since. */
  wasOut(offered: OfferedService, kind: MapName, key: string): boolean
  /** Returns functions that mark left-out members for another try, if room has become free since. */
  takeRoom(): readonly (() => void)[]
}

/** Creates a budget that has counted nothing yet. */
export function createBudget(limits: () => WireLimits): Budget {
  const out = new Map<OfferedService, Set<string>>()
  const said = new WeakMap<OfferedService, Set<string>>()
  let declared = 0
  let members = 0
  let held = 0
  let freed = false
  const fits = (size: number, before: number): boolean =>
    members + (before === 0 ? 1 : 0) <= limits().members && held + size - before <= limits().held
  const change = (size: number, before: number): void => {
    members += Math.sign(size) - Math.sign(before)
    held += size - before
    freed ||= size < before
  }
  return {
    fits,
    change,
    declare(size) {
      const room = declared < limits().members && held + size <= limits().held
      if (room) declared += 1
      if (room) held += size
      return room
    },
    leaveOut(offered, kind, key) {
      for (const places of [out, said]) {
        const keys = places.get(offered) ?? new Set()
        places.set(offered, keys.add(`${kind}/${key}`))
      }
    },
    wasOut: (offered, kind, key) => said.get(offered)?.has(`${kind}/${key}`) === true,
    takeRoom() {
      if (!freed || out.size === 0) return []
      freed = false
      const again = [...out]
      out.clear()
      return again.map(([{ dirty }, places]) => () => {
        for (const place of places) {
          const kind = MAP_NAMES.find((name) => place.startsWith(`${name}/`))
          if (kind !== undefined) dirty[kind].add(place.slice(kind.length + 1))
        }
      })
    },
  }
}
