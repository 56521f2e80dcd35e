import { memberOf, unref } from "@x/base"
import { ServiceError } from "../service-error.js"
import { type Following, type Sink, still } from "../sources/follow-source.js"
import type { Condition, When } from "../sources/source.js"
import type { Conditions, Verdict } from "./conditions.js"
import type { Feed } from "./live-map.js"

/** A member that can be followed. */
export interface Member<Item> {
  /** The member is visible only while this holds. Default: always. */
  readonly when?: When | undefined
  /** Follows the member's item, apart from its condition. */
  follow(sink: Sink<Presence<Item>>): Following
}

/** A member's item, or why it is absent. */
export type Presence<Item> = Present<Item> | Absent

/** A present member. */
interface Present<Item> {
  /** The discriminant. */
  readonly visible: true
  /** The item, the same object until it changes. */
  readonly item: Item
}

/** An absent member. */
interface Absent {
  /** The discriminant. */
  readonly visible: false
  /** The reason. */
  readonly reason: string
}

/** Creates an absent member with a reason. */
export function absent(reason: string): Absent {
  return { visible: false, reason }
}

/** A feed of members that are known from the start, each visible on its own. */
interface MemberFeed<Item> extends Feed<Item> {
  /** Returns why a member is absent. Returns `undefined` for visible or unknown members, and while the feed is disconnected. */
  reason(key: string): string | undefined
}

/** Context that members share. */
interface FeedSite {
  /** Their conditions. */
  readonly conditions: Conditions
  /** Called for every failing member; must not throw. */
  failed(key: string, cause: unknown): void
}

/**
 * Combines members, in the given order: each is visible while its condition holds and it has an item. A silent or failing
 * member never delays its siblings; a completed source keeps its last value. Members that share a condition appear and
 * disappear in one change.
 */
export function createMemberFeed<Item>(members: ReadonlyMap<string, Member<Item>>, site: FeedSite): MemberFeed<Item> {
  const slots = new Map([...members].map(([key, member]) => [key, createSlot(key, member)]))
  let connected = false

  const connect = (changed: (keys: readonly string[]) => void): (() => void) => {
    const refresh = (some: readonly Slot<Item>[]): void => {
      const keys = some.filter(show).map(({ key }) => key)
      if (keys.length > 0) changed(keys)
    }
    for (const slot of slots.values()) reset(slot)
    connected = true
    const held = [...followConditions(slots.values(), site, refresh), ...followItems(slots.values(), site, refresh)]
    const stopWaiting = reportSilent(slots.values(), site)
    return () => {
      connected = false
      stopWaiting()
      for (const following of held) following.release()
    }
  }

  return {
    connect,
    spoken: () => true,
    find: (key) => slots.get(key)?.shown,
    *keys() {
      for (const { key, shown } of slots.values()) if (shown !== undefined) yield key
    },
    reason(key) {
      const slot = slots.get(key)
      return slot && connected ? whyNot(slot) : undefined
    },
  }
}

/** Milliseconds of silence before a member is reported. */
const PATIENCE_MS = 2_000

/**
 * Reports, once, each member that stays silent. This may be intended, but a silent source looks the same as a forgotten one.
 *
 * @returns A function that stops waiting.
 */
function reportSilent<Item>(slots: Iterable<Slot<Item>>, { failed }: FeedSite): () => void {
  const waiting = [...slots].filter((slot) => !slot.reported && silenceOf(slot) !== undefined)
  if (waiting.length === 0) return () => {}
  const timer = setTimeout(() => {
    for (const slot of waiting) {
      const silence = silenceOf(slot)
      if (silence === undefined) continue
      slot.reported = true
      failed(slot.key, new ServiceError(`${silence} for ${PATIENCE_MS / 1_000} s`, { code: "silent" }))
    }
  }, PATIENCE_MS)
  unref(timer)
  return () => clearTimeout(timer)
}

/** Returns what a member has not emitted yet. */
function silenceOf<Item>({ verdict, presence }: Slot<Item>): string | undefined {
  if (verdict === "unknown") return "its condition has not emitted"
  return presence === nothingYet ? "its source has not emitted" : undefined
}

/** A member and its current state. */
interface Slot<Item> {
  readonly key: string
  readonly member: Member<Item>
  readonly condition: Condition | undefined
  verdict: Verdict
  presence: Presence<Item>
  /** The visible item. */
  shown: Item | undefined
  /** Whether its silence was reported. */
  reported: boolean
}

function createSlot<Item>(key: string, member: Member<Item>): Slot<Item> {
  const condition = member.when === undefined ? undefined : toCondition(member.when)
  return { key, member, condition, verdict: "unknown", presence: nothingYet, shown: undefined, reported: false }
}

function reset<Item>(slot: Slot<Item>): void {
  slot.verdict = slot.condition === undefined ? true : "unknown"
  slot.presence = nothingYet
  slot.shown = undefined
}

/** @returns Whether the visible item has changed. */
function show<Item>(slot: Slot<Item>): boolean {
  const before = slot.shown
  slot.shown = slot.verdict === true && slot.presence.visible ? slot.presence.item : undefined
  return slot.shown !== before
}

function whyNot<Item>({ condition, verdict, presence }: Slot<Item>): string | undefined {
  if (verdict === "unknown") return "its condition is not known yet"
  if (verdict === "failed") return hasFailed.reason
  if (!verdict) return condition?.otherwise
  return presence.visible ? undefined : presence.reason
}

const nothingYet: Absent = absent("it has no value yet")
const hasFailed: Absent = absent("it has failed")

type Refresh<Item> = (slots: readonly Slot<Item>[]) => void

function followConditions<Item>(
  slots: Iterable<Slot<Item>>,
  { conditions, failed }: FeedSite,
  refresh: Refresh<Item>,
): Following[] {
  const groups = new Map<unknown, [Condition, Slot<Item>[]]>()
  for (const slot of slots) {
    if (slot.condition === undefined) continue
    const group = groups.get(slot.condition.is)
    if (group) group[1].push(slot)
    else groups.set(slot.condition.is, [slot.condition, [slot]])
  }
  return [...groups.values()].map(([{ is }, group]) =>
    conditions.follow(is, {
      verdict(verdict) {
        for (const slot of group) slot.verdict = verdict
        refresh(group)
      },
      trouble(cause) {
        for (const { key } of group) failed(key, cause)
      },
    }),
  )
}

function followItems<Item>(slots: Iterable<Slot<Item>>, { failed }: FeedSite, refresh: Refresh<Item>): Following[] {
  const followed = [...slots].map((slot) => {
    const own = [slot]
    const put = (presence: Presence<Item>): void => {
      slot.presence = presence
      refresh(own)
    }
    return slot.member.follow({
      next: put,
      fail(cause) {
        failed(slot.key, cause)
        put(hasFailed)
      },
      trouble: (cause) => failed(slot.key, cause),
    })
  })
  return followed.filter((following) => following !== still)
}

/** Adds a default reason to a condition. */
function toCondition(when: When): Condition {
  return isCondition(when) ? when : { is: when, otherwise: "its condition is false" }
}

function isCondition(when: When): when is Condition {
  try {
    return memberOf(when, "is") !== undefined && typeof memberOf(when, "otherwise") === "string"
  } catch {
    // A foreign proxy may throw on access. Following it as a source reports the error.
    return false
  }
}
