import { type AgenticService, toAgenticService } from "@x/agentic-service"
import type { MemberFailure } from "@x/agentic-service/adapter"
import { MAP_NAMES, type MapName } from "../frames.js"
import type { WireLimits } from "../limits.js"
import { followService, type OfferedListener, type OfferedService } from "./offered-service.js"

/** Everything a service leads to, each service once, however many links lead to it. */
export interface OfferedGraph {
  /** The root. */
  readonly root: OfferedService
  /** The service of a number. */
  find(id: number): OfferedService | undefined
  /** The service a link leads to; followed from now on, and undefined where there is no room for another. */
  join(service: AgenticService): OfferedService | undefined
  /** All of them. A service that joins while they are walked is among them. */
  all(): Iterable<OfferedService>
  /** Lets go of what nothing told of leads to any more, and says which they were. */
  sweep(): readonly number[]
  /** Notes that a link that was told is not there any more, so that something may have to be swept. */
  unlinked(): void
  /** Has sources that may not have told the truth looked at again. */
  settle(): void
  /** Lets go of every service. */
  close(): void
}

/** Follows the root; what it leads to joins as its links are told. */
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
  // Grows as it is walked; cycles end, since a set holds each once.
  for (const { told, dirty, maps } of reached) {
    const soon = [...dirty.links].flatMap((key) => maps.links.find(key) ?? [])
    for (const { service } of [...[...told.links.values()].map((one) => one.told), ...soon]) {
      const target = byService.get(toAgenticService(service))
      if (target !== undefined) reached.add(target)
    }
  }
  return reached
}

/** Words for what failed in an application, without its key. */
export function toFailureText({ cause }: MemberFailure): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return text.slice(0, FAILURE_TEXT)
}

const FAILURE_TEXT = 500

/** How much the other side holds, and what had no room. */
export interface Budget {
  /** Counts a declared member, if there is room. */
  declare(size: number): boolean
  /** Whether a member of that size has room in place of one of another. */
  fits(size: number, before: number): boolean
  /** Counts a member of a size (0: none) in place of one of another. */
  change(size: number, before: number): void
  /** Notes what had no room. */
  leaveOut(offered: OfferedService, kind: MapName, key: string): void
  /** Whether it had no room before, even if it had since. */
  wasOut(offered: OfferedService, kind: MapName, key: string): boolean
  /** Where room has become free: what makes what had none be looked at again. */
  takeRoom(): readonly (() => void)[]
}

/** Nothing told yet. */
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
