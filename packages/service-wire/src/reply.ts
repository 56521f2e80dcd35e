import type { Answers, Block, Failure, Outcome, Questions, Reply } from "@x/agentic-service"
import { isRecord, type JsonValue, showShort, toJson } from "@x/base"
import { readQuestions, type Trust } from "./members.js"

/** Serializes a reply. Of a question, `resume` stays with the side that asked. */
export function writeReply(reply: Reply): JsonValue {
  return toJson(reply.ok === "ask" ? { ok: "ask", questions: reply.questions } : reply)
}

/** The parsed result of a call: an outcome, or questions whose `resume` stays on the other side. */
export type RawReply = Outcome | { readonly ok: "ask"; readonly questions: Questions }

/** Parses the result of a call. Unreadable input becomes a failure. Protocol fields of a foreign side are dropped. */
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

/** The required and optional string fields of each type of block. Bytes are base64. */
const BLOCKS: Readonly<Record<Block["type"], { readonly must: readonly string[]; readonly may: readonly string[] }>> = {
  text: { must: ["text"], may: [] },
  image: { must: ["data", "mimeType"], may: [] },
  audio: { must: ["data", "mimeType"], may: [] },
  resource_link: { must: ["uri", "name"], may: ["title", "description", "mimeType"] },
  resource: { must: ["uri"], may: ["mimeType", "text", "blob"] },
}

function readBlock(json: unknown): Block | undefined {
  if (!isRecord(json)) return undefined
  const { type, annotations, meta, size, icons } = json
  const parts = typeof type === "string" && Object.hasOwn(BLOCKS, type) ? BLOCKS[type as Block["type"]] : undefined // looked up
  if (parts === undefined) return undefined
  const texts = [...parts.must, ...parts.may].filter((name) => typeof json[name] === "string")
  if (!parts.must.every((name) => texts.includes(name))) return undefined
  const block = {
    type,
    ...Object.fromEntries(texts.map((name) => [name, json[name]])),
    ...(type === "resource_link" && typeof size === "number" && { size }),
    ...(type === "resource_link" && Array.isArray(icons) && { icons: icons.filter(isRecord) }),
    ...(isRecord(annotations) && { annotations }),
    ...(isRecord(meta) && { meta }),
  }
  return isBlock(block) ? block : undefined
}

/** Narrows a block whose required fields have been checked. */
function isBlock(block: object): block is Block {
  return "type" in block
}

const unreadable: Outcome = {
  ok: false,
  code: "malformed",
  message: "the application sent an answer that cannot be read",
}

/** The reason why nothing of a removed service can be called. */
export const notLinked = "no link leads to its service now"

/** Answers a call beyond the limit of running calls. */
export const busy: JsonValue = toJson({
  ok: false,
  code: "busy",
  message: "busy: too many calls are running in this application, so this one did not run",
  recovery: "wait for another call to finish, then call again",
})

/** Answers a call whose caller no longer waits. */
export const tooLate: JsonValue = toJson({
  ok: false,
  code: "late",
  message: "the call arrived after its caller had given up, so it did not run",
})

/** Answers a `resume` of a question that was answered already or never asked. */
export const forgotten: Outcome = {
  ok: false,
  code: "not_available",
  message: "the question is no longer open, so nothing ran",
}

/** Answers a call that the person in front of the application declined. */
export function notAccepted(key: string): Failure {
  return {
    ok: false,
    code: "declined",
    message: `the person in front of the application declined "${key}", so it did not run`,
    recovery: "do not call it again unless the person asks for it",
  }
}

/** Answers a call whose question was closed without a yes or a no. */
export function undecided(key: string): Failure {
  return {
    ok: false,
    code: "undecided",
    message: `the person in front of the application closed the question about "${key}" without an answer, so it did not run`,
    recovery: "ask the person whether they still want this, and repeat the call if they do",
  }
}

/**
 * Checks the answers that an application's `ask` returned. A dialog's true or false, or a missing answer, is not consent.
 *
 * @throws TypeError for anything but answers by question key.
 */
export function checkAnswers(answers: unknown): Answers {
  if (isRecord(answers)) return answers
  const expected = 'the answers by question key, {} for a plain yes, "declined" or "cancelled"'
  throw new TypeError(`"ask" returned ${showShort(answers)}: expected ${expected}`)
}

/** Answers a call that ran, but whose result exceeds the largest frame. */
export function tooLong(length: number, most: number): JsonValue {
  return {
    ok: false,
    code: "too_large",
    message: `it ran, but its result has ${length} characters, more than the ${Math.floor(most * 0.9)} that can be sent`,
  }
}
