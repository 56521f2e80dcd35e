import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Questions } from "@x/agentic-service"
import { composeThing } from "@x/agentic-service/adapter"
import { compareText, isRecord } from "@x/tool-schemas/json"
import type { Way } from "../catalogue/way.js"
import { comparePaths, formatPath, type Path, parsePath } from "../names/path.js"
import type { Seal } from "../runtime/seal.js"
import { principalKey } from "../views/principal-key.js"
import type { ActiveCall } from "./active-call.js"
import type { QuestionOptions } from "./call-limits.js"
import { type Subject, toConsentGate } from "./call-subject.js"

/** What a caller carries from a question to its answer: which call was asked about, in which words, and until when. */
export interface QuestionNote {
  /** Names the question, so that it is answered once. */
  readonly id: string
  /** When it expires, in milliseconds since 1970: the one clock that several processes share. */
  readonly until: number
  /** Who was asked on behalf of. */
  readonly principal: string
  /** The digest of the legacy session in which it was asked; empty in the modern era, where requests belong to principals alone. */
  readonly session: string
  /** The tool that was called, and the service where it is served alone. */
  readonly name: string
  /** The digest of its arguments. */
  readonly digest: string
  /** The digest of the questions as they were shown. */
  readonly asked: string
  /** Whether it was asked before the action ran, or by the action, which waits for the answer in the process that asked. */
  readonly when: "before" | "midway"
  /** The process that asked. */
  readonly by: string
  /** The path by which the action was found: it is followed again, since it may be listed under another by then. */
  readonly at: string
  /** The keyed digest of the things on the way to the action, and of its gate, as they were when it was asked. */
  readonly of: string
  /** The same of what holds in every process; empty where no other process can tell whether it has the same thing. */
  readonly across: string
  /** Whether it was asked about another thing than its client had last listed or read. */
  readonly stale: boolean
  /** Whether the question was put again because another process had put it first. */
  readonly again: boolean
}

/** What a note is written with. */
interface NoteParts extends Pick<QuestionNote, "when" | "stale" | "again"> {
  /** The questions as they are shown. */
  readonly questions: Questions
  /** What the call would run, and by which path; absent for a question of an action that runs already, and holds its own thing. */
  readonly about?: { readonly subject: Subject; readonly at: Path }
}

/** Notes down a question that is put. */
export type WriteNote = (call: ActiveCall, parts: NoteParts) => QuestionNote

/** Whether what would run is what a note's question was asked about. */
export type Sameness =
  /** It is. */
  | "same"
  /** It has become another thing, or has another definition. */
  | "changed"
  /** Another process asked, and this one may not, or cannot, tell. */
  | "elsewhere"

/** Writes notes of one process, and compares what comes back. */
export interface Notes {
  /** See {@link WriteNote}. */
  readonly write: WriteNote
  /** Whether what the call would run now is what was asked about. */
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
    const durable = way?.durable
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
      // It may have moved with all that is on its way, or be listed under a shorter path while the former leads there still.
      const former = wayOf(call, { subject, at: parsePath(note.at) ?? subject.entry.path })
      const found = [ofSubject(subject, former), ofSubject(subject, subject.way)]
      if (note.by === by) return found.some(({ of }) => of === note.of) ? "same" : "changed"
      if (options.answeredBy !== "any" || note.across === "" || found.every(({ across }) => across === ""))
        return "elsewhere"
      return found.some(({ across }) => across === note.across) ? "same" : "changed"
    },
  }
}

/** The way of the path that an action was found by; where that leads nowhere any more, of the one it is listed under. */
function wayOf(
  { view }: ActiveCall,
  { subject, at }: { readonly subject: Subject; readonly at: Path },
): Way | undefined {
  return comparePaths(at, subject.entry.path) === 0 ? subject.way : (view.way(at) ?? subject.way)
}

/** Whether the note is of this very call, by whoever makes it. */
export function isFor(note: QuestionNote, call: ActiveCall): boolean {
  const own = toCallParts(call)
  const sameAsker = note.principal === own.principal && note.session === own.session
  return sameAsker && note.name === own.name && note.digest === own.digest
}

/** Whether these are the questions that were shown, word for word. */
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
  // Two services that are served alone may have an action of the same name, and so have two tabs.
  const name = formatPath([...view.at, subject.name, ...(target === undefined ? [] : [target])])
  const session = context.leg.era === "legacy" && context.session !== undefined ? digest(context.session) : ""
  return { principal: principalKey(context.principal), session, name, digest: digest(args) }
}

/** Whether a value has the shape of a note. */
export function isNote(value: unknown): value is QuestionNote {
  if (!isRecord(value) || typeof value["until"] !== "number") return false
  if (value["when"] !== "before" && value["when"] !== "midway") return false
  if (typeof value["stale"] !== "boolean" || typeof value["again"] !== "boolean") return false
  const texts = ["id", "principal", "session", "name", "digest", "asked", "by", "at", "of", "across"]
  return texts.every((key) => typeof value[key] === "string")
}

/** The same for equal JSON, in whatever order its names are written. */
function digest(json: unknown): string {
  const sorted = JSON.stringify(json, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted)))
}
