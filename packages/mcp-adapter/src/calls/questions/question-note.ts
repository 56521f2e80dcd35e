import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Principal } from "@x/agentic-service"
import { principalKey } from "../../views/principal-key.js"
import type { Arguments } from "../active-call.js"

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
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
  return bytesToHex(sha256(utf8ToBytes(sorted)))
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
