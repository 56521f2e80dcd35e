import { memberOf } from "@x/tool-schemas/json"
import { ServiceError } from "../service-error.js"
import { type Following, type Sink, still } from "../sources/follow-source.js"
import type { Condition, When } from "../sources/source.js"
import { unref } from "../sources/unref.js"
import type { Conditions, Verdict } from "./conditions.js"
import type { Feed } from "./live-map.js"

/** A member that can be followed. */
export interface Member<Item> {
  /** It is there only while this holds. Default: always. */
  readonly when?: When | undefined
  /** Follows what it is, beside its condition. */
  follow(sink: Sink<Presence<Item>>): Following
}

/** Whether a member has something to show: itself, or the reason why not. */
export type Presence<Item> = Present<Item> | Absent

/** There is something. */
interface Present<Item> {
  /** Tells the two apart. */
  readonly visible: true
  /** The member; the same object for as long as nothing about it changed. */
  readonly item: Item
}

/** There is nothing. */
interface Absent {
  /** Tells the two apart. */
  readonly visible: false
  /** Why, for whoever asks. */
  readonly reason: string
}

/** Nothing to show, and why. */
export function absent(reason: string): Absent {
  return { visible: false, reason }
}

/** A feed of members that are known from the start, each there or not on its own. */
interface MemberFeed<Item> extends Feed<Item> {
  /** Why the member is not there now; `undefined` while it is, while nothing is connected, and for unknown keys. */
  reason(key: string): string | undefined
}

/** What members have in common. */
interface FeedSite {
  /** Their conditions. */
  readonly conditions: Conditions
  /** Told of every failing member; must not throw. */
  failed(key: string, cause: unknown): void
}

/**
 * Puts members together, in the order given: each is there while its condition holds and it has something to show. A silent or
 * failing one never holds up its siblings; a source that completes keeps its last say. Members that share a condition come
 * and go in one change.
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

/** How long a member may be silent before that is reported, in milliseconds. */
const PATIENCE_MS = 2_000

/**
 * Reports, once, each member that has said nothing for a while. It may be meant so; but a source that never speaks looks the same
 * as a member that was forgotten.
 *
 * @returns Stops waiting.
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

/** What a member has not said yet. */
function silenceOf<Item>({ verdict, presence }: Slot<Item>): string | undefined {
  if (verdict === "unknown") return "its condition has not emitted"
  return presence === nothingYet ? "its source has not emitted" : undefined
}

/** A member, and what is known of it. */
interface Slot<Item> {
  readonly key: string
  readonly member: Member<Item>
  readonly condition: Condition | undefined
  verdict: Verdict
  presence: Presence<Item>
  /** What is there to be seen. */
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

/** @returns Whether that is another item than before. */
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

/** Gives every condition its reason. */
function toCondition(when: When): Condition {
  return isCondition(when) ? when : { is: when, otherwise: "its condition is false" }
}

function isCondition(when: When): when is Condition {
  try {
    return memberOf(when, "is") !== undefined && typeof memberOf(when, "otherwise") === "string"
  } catch {
    // A proxy of somebody's may not let itself be looked at; what becomes of it as a source is told when it is followed.
    return false
  }
}
