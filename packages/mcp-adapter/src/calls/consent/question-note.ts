import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Questions } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import { compareText, isRecord } from "@x/base"
import type { Way } from "../../catalogue/way.js"
import { comparePaths, formatPath, type Path, parsePath } from "../../names/path.js"
import type { Seal } from "../../runtime/seal.js"
import { principalKey } from "../../views/principal-key.js"
import type { ActiveCall } from "../active-call.js"
import type { QuestionOptions } from "../call-limits.js"
import { type Subject, toConsentGate } from "../call-subject.js"

/** A note that the caller carries from question to answer: call, wording and expiry. */
export interface QuestionNote {
  /** The question's id, which makes each answer count once. */
  readonly id: string
  /** The expiry, in milliseconds since 1970: the one clock that several processes share. */
  readonly until: number
  /** The asking principal. */
  readonly principal: string
  /** The digest of the question's legacy session. Empty in the modern era, where requests belong to principals alone. */
  readonly session: string
  /** The called tool, preceded by its service's path when that is served alone. */
  readonly name: string
  /** The digest of its arguments. */
  readonly digest: string
  /** The digest of the shown questions. */
  readonly asked: string
  /** Whether the question was put before the action ran, or by the running action, which waits in the process that asked. */
  readonly when: "before" | "midway"
  /** The process that asked. */
  readonly by: string
  /** The action's path at question time. An answer follows it again, because the action may have moved. */
  readonly at: string
  /** The keyed digest of the service instances on the path to the action, and of its gate, when the question was put. */
  readonly of: string
  /** The same digest for what holds in every process. Empty if no other process can tell whether it has the same service. */
  readonly across: string
  /** Whether the question was about another instance than the one its client was last shown. */
  readonly stale: boolean
  /** Whether the question was put again because another process had put it first. */
  readonly again: boolean
}

/** The parts of a note. */
interface NoteParts extends Pick<QuestionNote, "when" | "stale" | "again"> {
  /** The questions as shown. */
  readonly questions: Questions
  /** The call's target and path. Absent for a running action's question, because that action keeps its instance. */
  readonly about?: { readonly subject: Subject; readonly at: Path }
}

/** Creates the note of a question. */
export type WriteNote = (call: ActiveCall, parts: NoteParts) => QuestionNote

/** Possible results of comparing the current action with a note's. */
export type Sameness =
  /** The same action. */
  | "same"
  /** Another instance, or another definition. */
  | "changed"
  /** A question of another process, whose action this one may not, or cannot, compare. */
  | "elsewhere"

/** Writes notes of this process, and compares returned ones. */
export interface Notes {
  /** See {@link WriteNote}. */
  readonly write: WriteNote
  /** Compares the action that the call would run now with the one that was asked about. */
  compare(note: QuestionNote, call: ActiveCall, subject: Subject): Sameness
}

/** Creates the notes of this process. */
export function createNotes(
  options: Pick<QuestionOptions, "expiryMs" | "answeredBy">,
  seal: Seal<QuestionNote>,
): Notes {
  const by = crypto.randomUUID()
  const ofSubject = (subject: Subject, way: Way | undefined): Pick<QuestionNote, "of" | "across"> => {
    const gate = digest(toConsentGate(subject))
    const durable = way?.durable()
    return {
      of: seal.digest(composeThing("of", gate, ...(way?.things ?? []), subject.entry.thing)),
      across: durable === undefined ? "" : seal.digest(composeThing("across", gate, durable)),
    }
  }
  return {
    write(call, { questions, about, ...parts }) {
      const bound =
        about === undefined
          ? { at: "", of: "", across: "" }
          : { at: formatPath(about.at), ...ofSubject(about.subject, wayOf(call, about)) }
      const until = Date.now() + options.expiryMs
      return { id: crypto.randomUUID(), until, by, ...toCallParts(call), asked: digest(questions), ...bound, ...parts }
    },
    compare(note, call, subject) {
      // The service may have moved with its whole path, or be listed under a shorter path while the former one still leads
      // there.
      const former = wayOf(call, { subject, at: parsePath(note.at) ?? subject.entry.path })
      const found = [ofSubject(subject, former), ofSubject(subject, subject.way)]
      if (note.by === by) return found.some(({ of }) => of === note.of) ? "same" : "changed"
      if (options.answeredBy !== "any" || note.across === "" || found.every(({ across }) => across === ""))
        return "elsewhere"
      return found.some(({ across }) => across === note.across) ? "same" : "changed"
    },
  }
}

/** Returns the instances on the action's former path, or on its current one when the former leads nowhere. */
function wayOf(
  { view }: ActiveCall,
  { subject, at }: { readonly subject: Subject; readonly at: Path },
): Way | undefined {
  return comparePaths(at, subject.entry.path) === 0 ? subject.way : (view.way(at) ?? subject.way)
}

/** Checks whether a note belongs to this exact call and caller. */
export function isFor(note: QuestionNote, call: ActiveCall): boolean {
  const own = toCallParts(call)
  const sameAsker = note.principal === own.principal && note.session === own.session
  return sameAsker && note.name === own.name && note.digest === own.digest
}

/** Checks whether these are the questions that were shown, word for word. */
export function isAbout(note: Pick<QuestionNote, "asked">, questions: Questions | undefined): boolean {
  return questions !== undefined && note.asked === digest(questions)
}

function toCallParts({
  subject,
  args,
  context,
  view,
  target,
}: ActiveCall): Pick<QuestionNote, "principal" | "session" | "name" | "digest"> {
  // Two services that are served alone may have actions of the same name, and so may two tabs.
  const name = formatPath([...view.at, subject.name, ...(target === undefined ? [] : [target])])
  const session = context.leg.era === "legacy" && context.session !== undefined ? digest(context.session) : ""
  return { principal: principalKey(context.principal), session, name, digest: digest(args) }
}

/** Checks whether a value has the shape of a note. */
export function isNote(value: unknown): value is QuestionNote {
  if (!isRecord(value) || typeof value["until"] !== "number") return false
  if (value["when"] !== "before" && value["when"] !== "midway") return false
  if (typeof value["stale"] !== "boolean" || typeof value["again"] !== "boolean") return false
  const texts = ["id", "principal", "session", "name", "digest", "asked", "by", "at", "of", "across"]
  return texts.every((key) => typeof value[key] === "string")
}

/** Returns the same digest for equal JSON, whatever the order of its members. */
function digest(json: unknown): string {
  const sorted = JSON.stringify(json, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted)))
}
