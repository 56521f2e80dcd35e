import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Action, Answers, Failure, JsonSchema, Outcome, Principal, Questions } from "@x/agentic-service"
import { checkJson } from "@x/agentic-service/adapter"
import { compareText, isRecord } from "@x/tool-schemas/json"
import { formatPath } from "../names/path.js"
import { createDeferred } from "../runtime/once.js"
import { sameBytes } from "../runtime/same-bytes.js"
import { principalKey } from "../views/principal-key.js"
import type { ActiveCall } from "./active-call.js"
import type { Arguments, CallContext } from "./call-context.js"
import type { QuestionOptions } from "./call-limits.js"

/** Puts the questions of an action to the person in front of the client, before it runs. */
export interface AskPerson {
  /** Says how a call goes on: asked, answered, refused, or answered long ago. Never rejects. */
  ask(call: ActiveCall, action: Action, input: unknown): Promise<Asking>
}

/** How a call goes on. */
export type Asking =
  | { readonly kind: "unasked" }
  /** The person must be asked; what comes back comes with `state`. */
  | { readonly kind: "question"; readonly questions: Questions; readonly state: string }
  /** The person has answered; the outcome is to be told to `settle`, so that a second delivery gets the same. */
  | { readonly kind: "answered"; readonly answers: Answers; settle(outcome: Outcome): void }
  /** The same answer was delivered before. */
  | { readonly kind: "replayed"; readonly outcome: Promise<Outcome> }
  /** Nobody can be asked, or the person said no. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** The client could ask and has not said that it will (2026-07-28, basic/index, -32021). */
  | { readonly kind: "incapable" }

/** Nothing asked yet. */
export function createAskPerson(options: QuestionOptions): AskPerson {
  const seal = createSeal(options.secret, isNote)
  const memory = createOutcomeMemory(options.remembered)
  const put = (call: ActiveCall, questions: Questions): Asking => {
    const note = { id: crypto.randomUUID(), until: Date.now() + options.expiryMs, ...noteOf(call) }
    return { kind: "question", questions, state: seal.close(note) }
  }
  const take = async (call: ActiveCall, questions: Questions, note: QuestionNote): Promise<Asking> => {
    const answers = await readAnswers(call.context, questions)
    // From here to `begin` nothing may wait: of two deliveries of an answer only one may begin.
    const known = memory.find(note.id)
    if (known !== undefined) return { kind: "replayed", outcome: known }
    if (answers === "declined") return { kind: "refused", failure: declined(call) }
    if (answers === undefined) return put(call, questions)
    const settle = memory.begin(note)
    return settle === undefined ? { kind: "refused", failure: busy(call) } : { kind: "answered", answers, settle }
  }

  const resume = async (call: ActiveCall, questions: Questions, state: string): Promise<Asking> => {
    const note = seal.open(state)
    if (note === undefined || !isFor(note, call)) return { kind: "refused", failure: foreign(call) }
    return note.until < Date.now() ? put(call, questions) : take(call, questions, note)
  }

  const goOn = async (call: ActiveCall, questions: Questions): Promise<Asking> => {
    const { requestState } = call.context
    return requestState === undefined ? put(call, questions) : resume(call, questions, requestState)
  }

  return {
    async ask(call, action, input) {
      const questions = toQuestions(action, input, options)
      if (questions === undefined) return { kind: "unasked" }
      if (canAsk(call.context)) return goOn(call, questions)
      if (options.incapable === "token" && canBeConfirmed(questions))
        return withToken(call, await goOn(call, questions))
      return call.context.leg.era === "modern" ? { kind: "incapable" } : { kind: "refused", failure: unavailable(call) }
    },
  }
}

function noteOf({ subject, args, context, view }: ActiveCall): Omit<QuestionNote, "id" | "until"> {
  // Two services that are served alone may have an action of the same name.
  return toNote(formatPath([...view.at, subject.name]), args, context.principal)
}

function isFor(note: QuestionNote, call: ActiveCall): boolean {
  const own = noteOf(call)
  return note.principal === own.principal && note.name === own.name && note.digest === own.digest
}

/** A form needs `elicitation`, empty or with `form` in it (2026-07-28, client/elicitation), and a way back. */
function canAsk({ clientCapabilities, leg }: CallContext): boolean {
  const { elicitation } = clientCapabilities
  if (typeof elicitation !== "object" || elicitation === null) return false
  if (leg.era === "legacy" && !leg.notices) return false
  return "form" in elicitation || Object.keys(elicitation).length === 0
}

/** The answers, when all are there and fit; what is missing or does not fit is asked again. */
async function readAnswers(
  { inputResponses = {} }: CallContext,
  questions: Questions,
): Promise<Answers | "declined" | undefined> {
  const answers: Record<string, unknown> = {}
  for (const [key, question] of Object.entries(questions)) {
    const response = inputResponses[key]
    if (typeof response !== "object" || response === null || !("action" in response)) return undefined
    if (response.action !== "accept") return "declined"
    const content = "content" in response ? response.content : {}
    if (!(await checkJson(question.schema, content)).ok) return undefined
    if (key !== CONFIRM) answers[key] = content
  }
  return answers
}

/** What asks for more than a yes cannot be answered with a token. */
function canBeConfirmed(questions: Questions): boolean {
  return Object.keys(questions).every((key) => key === CONFIRM)
}

/** How a call goes on that comes back with a token. */
export function confirmedBy(token: string): Pick<CallContext, "requestState" | "inputResponses"> {
  return { requestState: token, inputResponses: { [CONFIRM]: { action: "accept", content: {} } } }
}

function withToken(call: ActiveCall, asking: Asking): Asking {
  return asking.kind === "question" ? { kind: "refused", failure: toBeConfirmed(call, asking) } : asking
}

function toBeConfirmed({ subject }: ActiveCall, { questions, state }: Extract<Asking, { kind: "question" }>): Failure {
  return {
    ok: false,
    code: "confirmation_needed",
    message: `action "${subject.name}" did not run yet: ${questions[CONFIRM]?.message ?? "it asks first"}`,
    recovery: `ask the person; if they agree, call "run_action" with this name, the same arguments and "confirm": ${JSON.stringify(state)}`,
  }
}

function unavailable({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "confirmation_unavailable",
    message: `action "${subject.name}" asks a person before it runs, and this client cannot ask`,
    recovery: "ask the person to do it in the application, or to connect with a client that can ask (MCP elicitation)",
  }
}

function declined({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "declined",
    message: `the person was asked about "${subject.name}" and did not accept, so it did not run`,
    recovery: "do not call it again unless the person asks for it",
  }
}

function foreign({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "invalid_input",
    message: `the answer does not belong to this call of "${subject.name}", so it did not run`,
    recovery: "call it again without the state of an earlier answer",
  }
}

function busy({ subject }: ActiveCall): Failure {
  return {
    ok: false,
    code: "busy",
    message: `too many answers are being taken in, so "${subject.name}" did not run`,
    recovery: "call again in a minute",
  }
}

/** The key under which a person accepts; the questions of `ask` cannot have it, because keys begin with a letter there. */
const CONFIRM = "_confirm"

/** A form with nothing to fill in: all that can be done with it is to accept or to decline. */
const NOTHING: JsonSchema = { type: "object", properties: {} }

/** What a person is asked before an action runs on this input; `undefined` when nothing is. */
function toQuestions(action: Action, input: unknown, policy: { readonly destructive: boolean }): Questions | undefined {
  const confirm =
    action.confirm?.(input) ?? (policy.destructive && action.hints.destructive ? fallback(action) : undefined)
  const questions = {
    ...(confirm !== undefined && { [CONFIRM]: { message: confirm, schema: NOTHING } }),
    ...action.ask?.(input),
  }
  return Object.keys(questions).length > 0 ? questions : undefined
}

function fallback({ title, description }: Action): string {
  return `Do this? ${title ?? description}`
}

/** What a caller carries from a question to its answer: which call was asked about, and until when. */
interface QuestionNote {
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
function toNote(name: string, args: Arguments, principal: Principal | undefined): Omit<QuestionNote, "id" | "until"> {
  return { principal: principalKey(principal), name, digest: digest(args) }
}

/** Whether a value has the shape of a note. */
function isNote(value: unknown): value is QuestionNote {
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
function createOutcomeMemory(limit: number): OutcomeMemory {
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
