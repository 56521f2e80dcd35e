import { ProtocolError } from "@modelcontextprotocol/client"
import type { Answers, Block, ExecuteContext, Failure, JsonSchema, Meta, Outcome, Question } from "@x/agentic-service"
import { labelQuestion } from "@x/agentic-service/adapter"
import { isRecord } from "@x/tool-schemas/json"
import { reasonOf } from "../life/session.js"
import { type Redact, redactAll } from "../trust/redact.js"
import type { Listed } from "../upstream.js"

/** Makes an outcome of a result of tools/call: as it is, whatever it says. */
export function toOutcome(result: Readonly<Record<string, unknown>>): Outcome {
  const { content, structuredContent, isError, _meta } = result
  if (!Array.isArray(content) && structuredContent === undefined) return malformed
  const blocks = (Array.isArray(content) ? content : []).flatMap(toBlock)
  const meta = isRecord(_meta) ? { meta: _meta } : {}
  if (isError !== true) {
    return {
      ok: true,
      verbatim: true,
      content: blocks,
      ...(structuredContent !== undefined && { value: structuredContent }),
      ...meta,
    }
  }
  const structured = structuredContent === undefined ? {} : { structured: structuredContent }
  return { ok: false, verbatim: true, message: textOf(blocks), content: blocks, ...structured, ...meta }
}

const malformed: Outcome = {
  ok: false,
  code: "malformed_result",
  message: "its server answered with something that is no result",
  recovery: "it may have run; look before you call it again",
}

/** What happened, for logs and for callers that read no blocks. */
function textOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.join("\n") || "the tool failed"
}

/** The URIs that a result names: they can be read through whoever hands the result on. */
export function urisOf(outcome: Outcome): readonly string[] {
  return (outcome.content ?? []).flatMap((block) => ("uri" in block ? [block.uri] : []))
}

function toBlock(content: unknown): readonly Block[] {
  if (!isRecord(content)) return []
  const notes = {
    ...(isRecord(content["annotations"]) && { annotations: content["annotations"] }),
    ...(isRecord(content["_meta"]) && { meta: content["_meta"] }),
  }
  switch (content["type"]) {
    case "text":
      return [{ type: "text", text: String(content["text"] ?? ""), ...notes }]
    case "image":
    case "audio":
      return [{ ...toMedia(content["type"], content), ...notes }]
    case "resource_link":
      return [{ ...toLink(content), ...notes }]
    case "resource":
      return isRecord(content["resource"]) ? [{ ...toResource(content["resource"]), ...notes }] : []
    default:
      return [{ type: "text", text: JSON.stringify(content) }]
  }
}

function toMedia(type: "image" | "audio", { data, mimeType }: Meta): Block {
  if (typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType }
  return { type: "text", text: `(${type} left out: its server gave no data or no media type)` }
}

function toLink(content: Meta): Block {
  const { uri, name } = content
  if (typeof uri !== "string") return { type: "text", text: '(link left out: its server gave no "uri")' }
  return { type: "resource_link", uri, name: typeof name === "string" ? name : uri, ...linkExtras(content) }
}

function linkExtras(content: Meta): { title?: string; description?: string; mimeType?: string; size?: number } {
  const { title, description, mimeType, size } = content
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof size === "number" && { size }),
  }
}

/** Makes a block of what a read, or an embedded resource, holds. */
export function toResource(contents: Meta): Extract<Block, { type: "resource" }> {
  const { uri, mimeType, text, blob, _meta } = contents
  return {
    type: "resource",
    uri: String(uri),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof blob === "string" ? { blob } : { text: typeof text === "string" ? text : "" }),
    ...(isRecord(_meta) && { meta: _meta }),
  }
}

/** What a server refused, as it said it, without what only its operator knows. */
function toRefused({ code, message, data }: ProtocolError, redact: Redact): Failure {
  const refusal = { code, ...(data !== undefined && { data: redactAll(redact, data) }) }
  return { ok: false, message: redact(plainMessage(message)), refusal }
}

/** Without what the SDK puts before a server's words. */
export function plainMessage(message: string): string {
  return message.replace(/^MCP error -?\d+: /, "")
}

/** What a person did with a question, as MCP says it. */
export type Answer =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" }

/**
 * Returns the question in the parameters of `elicitation/create`, labelled with the server that asks; `undefined` if it is none
 * that a form can put.
 */
export function toQuestion(params: unknown, server: string): Question | undefined {
  if (!isRecord(params) || typeof params["message"] !== "string") return undefined
  const { mode = "form", message, requestedSchema } = params
  if (mode !== "form") return undefined
  const schema: JsonSchema = isRecord(requestedSchema) ? requestedSchema : { type: "object", properties: {} }
  return labelQuestion({ message: String(message), schema }, { kind: "server", name: server })
}

/** The answer to one of the questions. */
export function toAnswer(answers: Answers | "declined" | "cancelled", key: string): Answer {
  if (answers === "declined") return { action: "decline" }
  if (answers === "cancelled") return { action: "cancel" }
  // What a person filled in was checked against the question's schema, which has primitives only.
  return { action: "accept", content: Object(answers[key] ?? {}) }
}

/** What went wrong on the way. What the server refused is its own; anything else is the connection's. */
export function toFailure(
  cause: unknown,
  tool: Listed,
  { context, redact }: { readonly context: Pick<ExecuteContext, "signal">; readonly redact: Redact },
): Failure {
  if (cause instanceof ProtocolError) return toRefused(cause, redact)
  const name = JSON.stringify(tool["name"])
  if (context.signal.aborted) return { ok: false, code: "aborted", message: `${name} was aborted by its caller` }
  return {
    ok: false,
    code: "not_available",
    message: `${name} could not be called: ${redact(reasonOf(cause))}`,
    recovery: "it may or may not have run; look before you call it again",
  }
}
