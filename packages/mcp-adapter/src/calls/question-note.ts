import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Questions } from "@x/agentic-service"
import { compareText, isRecord } from "@x/tool-schemas/json"
import { formatPath } from "../names/path.js"
import { sameBytes } from "../runtime/same-bytes.js"
import { principalKey } from "../views/principal-key.js"
import type { ActiveCall } from "./active-call.js"

/** What a caller carries from a question to its answer: which call was asked about, in which words, and until when. */
export interface QuestionNote {
  /** Names the question, so that it is answered once. */
  readonly id: string
  /** When it expires, in milliseconds since 1970: the one clock that several processes share. */
  readonly until: number
  /** Who was asked on behalf of. */
  readonly principal: string
  /** The tool that was called, and the service where it is served alone. */
  readonly name: string
  /** The digest of its arguments. */
  readonly digest: string
  /** The digest of the questions as they were shown. */
  readonly asked: string
  /** Whether it was asked before the action ran, or by the action, which waits for the answer in the process that asked. */
  readonly when: "before" | "midway"
}

/** A question that was put, and what the caller carries of it. */
export function writeNote(
  call: ActiveCall,
  questions: Questions,
  { when, expiryMs }: Pick<QuestionNote, "when"> & { readonly expiryMs: number },
): QuestionNote {
  const until = Date.now() + expiryMs
  return { id: crypto.randomUUID(), until, ...subjectOf(call), asked: digest(questions), when }
}

/** Whether the note is of this very call, by whoever makes it. */
export function isFor(note: QuestionNote, call: ActiveCall): boolean {
  const own = subjectOf(call)
  return note.principal === own.principal && note.name === own.name && note.digest === own.digest
}

/** Whether these are the questions that were shown, word for word. */
export function isAbout(note: Pick<QuestionNote, "asked">, questions: Questions | undefined): boolean {
  return questions !== undefined && note.asked === digest(questions)
}

function subjectOf({
  subject,
  args,
  context,
  view,
  target,
}: ActiveCall): Pick<QuestionNote, "principal" | "name" | "digest"> {
  // Two services that are served alone may have an action of the same name, and so have two tabs.
  const name = formatPath([...view.at, subject.name, ...(target === undefined ? [] : [target])])
  return { principal: principalKey(context.principal), name, digest: digest(args) }
}

/** Whether a value has the shape of a note. */
export function isNote(value: unknown): value is QuestionNote {
  if (!isRecord(value) || typeof value["until"] !== "number") return false
  if (value["when"] !== "before" && value["when"] !== "midway") return false
  return ["id", "principal", "name", "digest", "asked"].every((key) => typeof value[key] === "string")
}

/** The same for equal JSON, in whatever order its names are written. */
function digest(json: unknown): string {
  const sorted = JSON.stringify(json, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted)))
}

/** Hands a note to a caller so that it comes back as it was, or is refused. */
export interface Seal<Note> {
  /** Seals a note. It can be read by whoever holds it, and not changed. */
  close(note: Note): string
  /** The note, unless somebody else wrote or changed it. */
  open(text: string): Note | undefined
}

/**
 * Seals with HMAC-SHA-256.
 *
 * @param secret - At least 32 bytes; whoever shares it opens each other's notes.
 * @param isNote - Guards against a note of another shape, sealed with the same secret.
 */
export function createSeal<Note>(secret: Uint8Array, isNote: (value: unknown) => value is Note): Seal<Note> {
  if (secret.length < 32) throw new RangeError(`the secret has ${secret.length} bytes: expected at least 32`)
  const sign = (text: string): Uint8Array => hmac(sha256, secret, utf8ToBytes(text))
  return {
    close(note) {
      const text = JSON.stringify(note)
      return `${bytesToHex(sign(text))}.${text}`
    },
    open(sealed) {
      const [signature = "", text = ""] = cut(sealed)
      if (!isSame(sign(text), signature)) return undefined
      const note: unknown = JSON.parse(text)
      return isNote(note) ? note : undefined
    },
  }
}

function cut(sealed: string): readonly [string, string] | readonly [] {
  const dot = sealed.indexOf(".")
  return dot < 0 ? [] : [sealed.slice(0, dot), sealed.slice(dot + 1)]
}

function isSame(expected: Uint8Array, found: string): boolean {
  return /^[0-9a-f]{64}$/.test(found) && sameBytes(expected, hexToBytes(found))
}
