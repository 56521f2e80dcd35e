import { toMessage } from "@x/base"
import type { RecordCollection, RecordStore } from "@x/records"
import { LRUCache } from "lru-cache"
import type { Report } from "../../runtime/diagnostic.js"
import type { QuestionOptions } from "../call-limits.js"
import type { QuestionNote } from "./question-note.js"

/** The claims on answers that all processes share. Only the process that claims an answer may run its action. */
export interface AnswerClaims {
  /** Claims an answer for one run, on behalf of a client. Never rejects. */
  claim(note: Pick<QuestionNote, "id">, client: string): Promise<Claim>
}

/** The result of a claim. */
export type Claim =
  /** The answer is this process's. */
  | {
      readonly is: "claimed"
      /** Gives the claim back, because nothing ran. */
      readonly release: () => void
    }
  /** It was claimed before. */
  | { readonly is: "taken" }
  /** The client's share of claims is full. */
  | { readonly is: "full" }
  /** The store failed, so nobody knows. */
  | { readonly is: "unavailable" }

/** Limits the remembered tokens. An answer whose token is forgotten counts as taken. */
const UNSURE = 1_000

/** Claims outlive their questions by this time, in milliseconds, so that clocks may differ by as much. */
const SLACK_MS = 3_600_000

/** Creates claims in a record store. Each attempt has a token, which tells a claim whose confirmation was lost from another's. */
export function createAnswerClaims(
  store: RecordStore,
  { expiryMs, remembered }: Pick<QuestionOptions, "expiryMs" | "remembered">,
  { report, toOwner }: { readonly report: Report; readonly toOwner: (client: string) => string },
): AnswerClaims {
  const claims: RecordCollection<string> = store.collection({
    name: "answers",
    ttlMs: expiryMs + SLACK_MS,
    full: "refuse",
    limits: { recordBytes: 100, ownerRecords: remembered },
  })
  /** The tokens of attempts without a confirmation, by id. */
  const unsure = new LRUCache<string, string>({ max: UNSURE })
  const releases = new Map<string, Promise<unknown>>()
  const fail = (cause: unknown): Claim => {
    if (isFull(cause)) return { is: "full" }
    const message = `an answer cannot be claimed, so its action does not run: ${toMessage(cause)}`
    report({ code: "records_unavailable", message, cause })
    return { is: "unavailable" }
  }
  const release = (id: string): void => {
    const done = claims.remove(id).catch(fail)
    releases.set(id, done)
    void done.then(() => releases.delete(id))
  }
  const claimed = (id: string): Claim => ({ is: "claimed", release: () => release(id) })
  return {
    async claim({ id }, client) {
      await releases.get(id)
      const token = unsure.get(id) ?? crypto.randomUUID()
      unsure.set(id, token)
      try {
        const made = await claims.create(id, token, { owner: toOwner(client) })
        const mine = made !== undefined || (await claims.read(id))?.value === token
        unsure.delete(id)
        return mine ? claimed(id) : { is: "taken" }
      } catch (cause) {
        if (isFull(cause)) unsure.delete(id)
        return fail(cause)
      }
    },
  }
}

function isFull(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "full"
}
