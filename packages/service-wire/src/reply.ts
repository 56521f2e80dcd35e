import type { Answers, Block, Failure, Outcome, Questions, Reply } from "@x/agentic-service"
import { isRecord, type JsonValue, showShort, toJson } from "@x/tool-schemas/json"
import { readQuestions, type Trust } from "./members.js"

/** A reply as it travels; of a question its way on stays with whoever asked it. */
export function writeReply(reply: Reply): JsonValue {
  return toJson(reply.ok === "ask" ? { ok: "ask", questions: reply.questions } : reply)
}

/** What came of a call, as the other side told it: an outcome, or questions whose way on stays there. */
export type RawReply = Outcome | { readonly ok: "ask"; readonly questions: Questions }

/** Reads what came of a call; what cannot be read is a failure. What a foreign side says in words of a protocol is left out. */
export function readReply(json: unknown, trust: Trust): RawReply {
  if (!isRecord(json)) return unreadable
  if (json["ok"] === true) return readSuccess(json, trust)
  if (json["ok"] === false && typeof json["message"] === "string") return readFailure(json, json["message"], trust)
  const questions = json["ok"] === "ask" ? readQuestions(json["questions"]) : undefined
  return questions === undefined ? unreadable : { ok: "ask", questions }
}

type Read = Readonly<Record<string, unknown>>

function readSuccess(json: Read, { foreign }: Trust): Outcome {
  const { value, verbatim } = json
  return {
    ok: true,
    ...(value !== undefined && { value }),
    ...readShared(json),
    ...(verbatim === true && !foreign && { verbatim }),
  }
}

function readFailure(json: Read, message: string, { foreign }: Trust): Outcome {
  const { code, recovery, structured, verbatim, refusal } = json
  const { code: number, data } = isRecord(refusal) ? refusal : {}
  return {
    ok: false,
    message,
    ...(typeof code === "string" && { code }),
    ...(typeof recovery === "string" && { recovery }),
    ...(structured !== undefined && { structured }),
    ...readShared(json),
    ...(verbatim === true && !foreign && { verbatim }),
    ...(typeof number === "number" && !foreign && { refusal: { code: number, ...(data !== undefined && { data }) } }),
  }
}

function readShared({ content, meta }: Read): { readonly content?: readonly Block[]; readonly meta?: Read } {
  const blocks = Array.isArray(content) ? content.flatMap((block) => readBlock(block) ?? []) : []
  return { ...(blocks.length > 0 && { content: blocks }), ...(isRecord(meta) && { meta }) }
}

/** What each kind of block must have, and may have. Bytes come in base64. */
const BLOCKS: Readonly<Record<Block["type"], { readonly must: readonly string[]; readonly may: readonly string[] }>> = {
  text: { must: ["text"], may: [] },
  image: { must: ["data", "mimeType"], may: [] },
  audio: { must: ["data", "mimeType"], may: [] },
  resource_link: { must: ["uri", "name"], may: ["title", "description", "mimeType"] },
  resource: { must: ["uri"], may: ["mimeType", "text", "blob"] },
}

function readBlock(json: unknown): Block | undefined {
  if (!isRecord(json)) return undefined
  const { type, annotations, meta, size } = json
  const parts = typeof type === "string" && Object.hasOwn(BLOCKS, type) ? BLOCKS[type as Block["type"]] : undefined // looked up
  if (parts === undefined) return undefined
  const texts = [...parts.must, ...parts.may].filter((name) => typeof json[name] === "string")
  if (!parts.must.every((name) => texts.includes(name))) return undefined
  const block = {
    type,
    ...Object.fromEntries(texts.map((name) => [name, json[name]])),
    ...(type === "resource_link" && typeof size === "number" && { size }),
    ...(isRecord(annotations) && { annotations }),
    ...(isRecord(meta) && { meta }),
  }
  return isBlock(block) ? block : undefined
}

/** Everything a block of its type must have was looked for. */
function isBlock(block: object): block is Block {
  return "type" in block
}

const unreadable: Outcome = {
  ok: false,
  code: "malformed",
  message: "the application answered with something that cannot be read",
}

/** Why nothing of a service can be called that is gone. */
export const notLinked = "the service it belongs to is not linked now"

/** Too much runs already. */
export const busy: JsonValue = toJson({
  ok: false,
  code: "busy",
  message: "too many calls run at once in this application, so it did not run",
  recovery: "call again when others have come to an end",
})

/** Nobody waits for it any more. */
export const tooLate: JsonValue = toJson({
  ok: false,
  code: "late",
  message: "the call arrived after its caller had given it up, so it did not run",
})

/** A question that was answered already, or never asked. */
export const forgotten: Outcome = {
  ok: false,
  code: "not_available",
  message: "what was asked is not open any more, so nothing ran",
}

/** The person in front of the application said no. */
export function notAccepted(key: string): Failure {
  return {
    ok: false,
    code: "declined",
    message: `the person in front of the application was asked about "${key}" and did not accept, so it did not run`,
    recovery: "do not call it again unless the person asks for it",
  }
}

/** Answers a call whose question was closed without a yes or a no. */
export function undecided(key: string): Failure {
  return {
    ok: false,
    code: "undecided",
    message: `nobody decided: the application's question about "${key}" was closed without a yes or a no, so it did not run`,
    recovery: "ask the person whether they still want this, and call it again if they do",
  }
}

/**
 * Checks what an application's `ask` gave: a dialog's true or false, or a forgotten answer, is no consent.
 *
 * @throws TypeError for anything but answers by question key.
 */
export function checkAnswers(answers: unknown): Answers {
  if (isRecord(answers)) return answers
  const expected = 'the answers by question key, {} for a plain yes, "declined" or "cancelled"'
  throw new TypeError(`"ask" gave ${showShort(answers)}: expected ${expected}`)
}

/** It ran, and its result has no room in a frame. */
export function tooLong(length: number, most: number): JsonValue {
  return {
    ok: false,
    code: "too_large",
    message: `it ran, but what it returned takes ${length} characters, and at most ${Math.floor(most * 0.9)} are sent`,
  }
}
