// Malformed frames: recorded frames cut, changed, repeated and reordered, and invented ones.
import fc from "fast-check"

/** A sequence of frames: recorded ones up to some state, then invalid ones. */
export type Attack = readonly string[]

/**
 * Generates sequences of frames.
 *
 * @param honest - The recorded frames of well-behaved sides, in order.
 */
export function anyAttack(honest: readonly string[]): fc.Arbitrary<Attack> {
  const frame = fc.nat(Math.max(0, honest.length - 1)).map((index) => honest[index] ?? "")
  const mutated = fc.oneof(
    { weight: 4, arbitrary: frame },
    { weight: 2, arbitrary: fc.tuple(frame, fc.nat(400)).map(([text, end]) => text.slice(0, end)) },
    { weight: 2, arbitrary: fc.tuple(frame, fc.nat(400), fc.string({ maxLength: 3 })).map(overwrite) },
    { weight: 6, arbitrary: fc.tuple(frame, fc.nat(200), anyValue).map(replaceValue) },
    { weight: 3, arbitrary: madeUp.map((made) => JSON.stringify(made)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("", "null", "[]", "{}", '{"t":1}', "[".repeat(20_000), '{"t":"x'.repeat(50)),
    },
  )
  const inOrder = fc.nat(honest.length).map((end) => honest.slice(0, end))
  // First come frames in order, so that the session reaches a later state.
  return fc.tuple(inOrder, fc.array(mutated, { maxLength: 30 })).map((parts) => parts.flat())
}

const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(-1, 0, 1, 1e21, -0.5, 2 ** 53, null, "", "__proto__", "constructor", [], {}, [[]], true),
  fc.constant("x".repeat(30_000)),
  fc.constant(Array.from({ length: 300 }, (_, index) => [`k${index}`, { v: index }])),
)

const kinds = [
  "hello",
  "bye",
  "diff",
  "progress",
  "result",
  "beat",
  "ack",
  "more",
  "cancel",
  "watch",
  "call",
  "check",
  "resume",
  "read",
  "page",
  "focus",
  "leave",
  "welcome",
  "refused",
  "toString",
]
const names = [
  "n",
  "s",
  "id",
  "k",
  "i",
  "q",
  "a",
  "at",
  "ttl",
  "c",
  "r",
  "p",
  "gone",
  "failures",
  "live",
  "on",
  "wire",
  "role",
  "limits",
  "code",
  "reason",
  "of",
  "g",
  "w",
  "things",
]

const madeUp = fc
  .tuple(fc.constantFrom(...kinds), fc.dictionary(fc.constantFrom(...names), anyValue, { maxKeys: 6 }))
  .map(([t, rest]) => ({ t, ...rest }))

function overwrite([text, at, by]: readonly [string, number, string]): string {
  const from = text.length === 0 ? 0 : at % text.length
  return text.slice(0, from) + by + text.slice(from + by.length)
}

/** Replaces or removes a value somewhere in a frame. */
function replaceValue([text, place, value]: readonly [string, number, unknown]): string {
  let count = 0
  try {
    const total = { places: 0 }
    JSON.parse(text, (_key, part) => {
      total.places += 1
      return part
    })
    return JSON.stringify(
      JSON.parse(text, (key, part) => {
        count += 1
        // The frame itself comes last, and stays an object.
        if (key === "" || count - 1 !== place % total.places) return part
        return place % 5 === 0 ? undefined : value
      }),
    )
  } catch {
    return text
  }
}

/** Returns the number of attacks: few in the tests, more by hand with `FUZZ_RUNS`. */
export function runsOf(usual: number): number {
  return Number(process.env["FUZZ_RUNS"] ?? usual)
}
