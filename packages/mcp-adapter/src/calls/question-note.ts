import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Outcome, Principal } from "@x/agentic-service"
import { compareText, isRecord } from "@x/tool-schemas/json"
import { createDeferred } from "../runtime/once.js"
import { sameBytes } from "../runtime/same-bytes.js"
import { principalKey } from "../views/principal-key.js"
import type { Arguments } from "./call-context.js"

/** What a caller carries from a question to its answer: which call was asked about, and until when. */
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
}

/** A note of a call, without its id and expiry. */
export function toNote(
  name: string,
  args: Arguments,
  principal: Principal | undefined,
): Omit<QuestionNote, "id" | "until"> {
  return { principal: principalKey(principal), name, digest: digest(args) }
}

/** Whether a value has the shape of a note. */
export function isNote(value: unknown): value is QuestionNote {
  if (typeof value !== "object" || value === null) return false
  const { id, until, principal, name, digest: hash } = value as Partial<Record<keyof QuestionNote, unknown>> // checked next
  return typeof until === "number" && [id, principal, name, hash].every((part) => typeof part === "string")
}

/** The same for equal arguments, in whatever order a client writes their names. */
function digest(args: Arguments): string {
  const sorted = JSON.stringify(args, (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted)))
}

/** Hands a note to a caller so that it comes back as it was, or is refused. */
interface Seal<Note> {
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

/** The outcomes of answered questions, so that an answer delivered twice runs nothing twice. */
interface OutcomeMemory {
  /** The outcome of a question that was answered already, or is being acted on. */
  find(id: string): Promise<Outcome> | undefined
  /**
   * Begins to act on an answer.
   *
   * @returns Takes the outcome; or `undefined` when there is no room to remember it, and so it must not run.
   */
  begin(note: Pick<QuestionNote, "id" | "until">): ((outcome: Outcome) => void) | undefined
}

/** Remembers at most so many outcomes, each for as long as its question could be answered again. */
export function createOutcomeMemory(limit: number): OutcomeMemory {
  const remembered = new Map<string, { readonly until: number; readonly outcome: Promise<Outcome> }>()
  const forgetExpired = (): void => {
    const now = Date.now()
    for (const [id, { until }] of remembered) if (until < now) remembered.delete(id)
  }
  return {
    find: (id) => remembered.get(id)?.outcome,
    begin({ id, until }) {
      forgetExpired()
      if (remembered.size >= limit) return undefined
      const { promise: outcome, resolve } = createDeferred<Outcome>()
      remembered.set(id, { until, outcome })
      return resolve
    },
  }
}
