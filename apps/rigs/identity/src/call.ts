import type { Doc, Ran } from "./document.js"
import type { Names } from "./names.js"
import type { Kind, Slot } from "./steps.js"
import type { World } from "./world.js"

/** A call, and the facts that the test recorded at each step. */
export interface Call {
  readonly number: number
  readonly slot: Slot
  readonly kind: Kind
  /** The document under its name at the start, which may be a former name. */
  readonly began: Doc | undefined
  /** Whether a current link led there. A former name is known only to servers that saw it. */
  readonly sure: boolean
  /** The document of the last question. */
  asked: Doc | undefined
  accepted: boolean
  declined: boolean
  /** The number of questions. */
  questions: number
  /** Whether the name's document was replaced or redefined since the start. */
  replaced: boolean
  /** Whether a process or connection ended since the start, so that the call may be refused or asked about again. */
  lost: boolean
  cancelled: boolean
  answer?: string
}

/** The parts of a new call. */
interface NewCall extends Pick<Call, "number" | "slot" | "kind"> {
  readonly world: World
  readonly names: Names
}

/** Creates a call that has just begun. */
export function createCall({ world, names, number, slot, kind }: NewCall): Call {
  const standing = world.standing(slot)
  const began = names.aliases ? world.at(slot) : standing
  return {
    ...{ number, slot, kind, began, sure: standing !== undefined, asked: undefined, questions: 0 },
    ...{ accepted: false, declined: false, replaced: false, lost: false, cancelled: false },
  }
}

/** Returns what contradicts: a call may run once, on the document and definition that its person meant. */
export function judgeRuns(call: Call, all: readonly Ran[]): string[] {
  const ran = all.filter((each) => each.call === call.number)
  const faults = ran.flatMap((each) => [...judgeTarget(call, each), ...judgeConsent(call, each)])
  if (ran.length > 1) faults.push("ran more than once")
  return faults.map((fault) => `${fault}: ${JSON.stringify({ call, ran })}`)
}

function judgeTarget(call: Call, { doc, kind }: Ran): string[] {
  const meant = call.asked ?? call.began
  return kind === call.kind && doc.thing === meant?.thing ? [] : ["ran on a different document than the caller saw"]
}

function judgeConsent({ asked, accepted }: Call, { doc, kind }: Ran): string[] {
  if (asked === undefined) return doc.edition % 2 === 1 || kind === "erase" ? ["ran without its question"] : []
  const faults = accepted ? [] : ["ran without consent"]
  if (doc.edition !== asked.edition) faults.push("ran a different definition than the question showed")
  return faults
}

/** Returns what contradicts: without a replacement, nothing is refused and nothing asked twice. */
export function judgeAnswer(call: Call, all: readonly Ran[]): string[] {
  if (call.replaced || call.lost || !call.sure) return []
  const ran = all.filter((each) => each.call === call.number)
  const faults: string[] = []
  if (call.answer?.includes("(changed)")) faults.push("rejected although nothing was replaced")
  if (call.questions > 1) faults.push("asked twice although nothing was replaced")
  if (!call.declined && ran.length !== 1) faults.push("did not run although nothing was replaced")
  return faults.map((fault) => `${fault}: ${JSON.stringify({ call, ran })}`)
}
