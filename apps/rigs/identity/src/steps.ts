import fc from "fast-check"

/** The principals. */
export const PEOPLE = ["ann", "bob"] as const
export type Person = (typeof PEOPLE)[number]

/** Names under which documents stand. */
export const SLOTS = ["left", "right", "item"] as const
export type Slot = (typeof SLOTS)[number]

/** Actions: one that may ask, one that asks, one with a slow check, one that takes time. */
export const KINDS = ["wipe", "erase", "checked", "slow"] as const
export type Kind = (typeof KINDS)[number]

/** Ways to replace a document. */
export type How = "other" | "same" | "edited" | "away"

/** A step of a life. */
export type Step =
  | { readonly do: "put"; readonly who: Person; readonly slot: Slot; readonly how: How }
  | { readonly do: "call"; readonly who: Person; readonly slot: Slot; readonly kind: Kind }
  | { readonly do: "write" | "near"; readonly who: Person; readonly slot: Slot }
  | { readonly do: Deed; readonly who: Person }

/** Steps without a name: go on with an answer, decline, list, take the only turn, cancel, trade two names, restart. */
export type Deed = "on" | "decline" | "look" | "hold" | "cancel" | "trade" | "restart"

/** A random life. */
export interface Life {
  /** Whether the author gives documents an id. */
  readonly ids: boolean
  /** Whether questions leave out what they are about, so that those of two documents read alike. */
  readonly vague: boolean
  /** The process that accepts answers. */
  readonly answeredBy: "asker" | "any"
  /** Whether clients subscribe. If not, their views may be dropped and created again at any time. */
  readonly follows: boolean
  readonly steps: readonly Step[]
}

// One person and one name come up more often, so that steps meet the same call.
const who = fc.constantFrom<Person>("ann", "ann", "ann", "bob")
const slot = fc.constantFrom<Slot>("left", "left", "left", "right", "item", "item")
const how = fc.constantFrom<How>("other", "other", "same", "same", "edited", "away")
const put = fc.record({ do: fc.constant("put" as const), who, slot, how })
const call = fc.record({ do: fc.constant("call" as const), who, slot, kind: fc.constantFrom(...KINDS) })
const change = fc.record({ do: fc.constantFrom("write" as const, "near" as const), who, slot })
const deed = fc.record({
  do: fc.constantFrom<Deed>("on", "on", "on", "decline", "look", "hold", "cancel", "trade"),
  who,
})
const restart = fc.record({ do: fc.constant("restart" as const), who })

/** Random lives of two people. */
export const lives: fc.Arbitrary<Life> = fc.record({
  ids: fc.boolean(),
  vague: fc.boolean(),
  answeredBy: fc.constantFrom("asker" as const, "any" as const),
  follows: fc.boolean(),
  steps: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: put },
      { weight: 6, arbitrary: call },
      { weight: 2, arbitrary: change },
      { weight: 8, arbitrary: deed },
      { weight: 1, arbitrary: restart },
    ),
    { minLength: 6, maxLength: 30 },
  ),
})
