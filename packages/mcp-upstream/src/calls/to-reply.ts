import { ProtocolError } from "@modelcontextprotocol/client"
import type {
  Answers,
  Block,
  BlockNotes,
  ExecuteContext,
  Failure,
  JsonSchema,
  Meta,
  Outcome,
  Question,
  ResourceLinkBlock,
} from "@x/agentic-service"
import { labelQuestion } from "@x/agentic-service/adapter"
import { isRecord } from "@x/base"
import { reasonOf, remedyOf } from "../life/session.js"
import { type Redact, redactAll } from "../trust/redact.js"
import type { Listed } from "../upstream.js"

/** Converts a result of `tools/call` to an outcome, unchanged. */
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
  message: "its server sent an invalid result",
  recovery: "it may have run: check before you call it again",
}

/** Returns the text of a failure, for logs and for callers that read no blocks. */
function textOf(blocks: readonly Block[]): string {
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.join("\n") || "the tool failed"
}

/** Returns the URIs named in a result, which become readable through every server that passes the result on. */
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
      return isRecord(content["resource"]) ? [toEmbedded(content["resource"], notes)] : []
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

/** Converts an embedded resource. A block of ours has one `meta`, so that of the resource is joined with its block's. */
function toEmbedded(resource: Meta, { meta, ...notes }: BlockNotes): Block {
  const block = { ...toResource(resource), ...notes }
  return meta === undefined ? block : { ...block, meta: { ...meta, ...block.meta } }
}

function linkExtras(content: Meta): Pick<ResourceLinkBlock, "title" | "description" | "mimeType" | "size" | "icons"> {
  const { title, description, mimeType, size, icons } = content
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof size === "number" && { size }),
    ...(Array.isArray(icons) && { icons: icons.filter(isRecord) }),
  }
}

/** Converts a resource's contents, read or embedded, to a block. */
export function toResource(contents: Meta): Extract<Block, { type: "resource" }> {
  const { uri, mimeType, text, blob, _meta, ...further } = contents
  return {
    type: "resource",
    uri: String(uri),
    ...(typeof mimeType === "string" && { mimeType }),
    ...(typeof blob === "string" ? { blob } : { text: typeof text === "string" ? text : "" }),
    ...(isRecord(_meta) && { meta: _meta }),
    ...(Object.keys(further).length > 0 && { further }),
  }
}

/** Returns a server's refusal in its own words, with the secrets removed. */
function toRefused({ code, message, data }: ProtocolError, redact: Redact): Failure {
  const refusal = { code, ...(data !== undefined && { data: redactAll(redact, data) }) }
  return { ok: false, message: redact(plainMessage(message)), refusal }
}

/** Removes the prefix that the SDK puts before a server's message. */
export function plainMessage(message: string): string {
  return message.replace(/^MCP error -?\d+: /, "")
}

/** A person's answer to a question, as MCP expresses it. */
export type Answer =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: "decline" | "cancel" }

/**
 * Returns the question in the parameters of `elicitation/create`, labelled with the server's name; `undefined` if it does not
 * fit a form.
 */
export function toQuestion(params: unknown, server: string): Question | undefined {
  if (!isRecord(params) || typeof params["message"] !== "string") return undefined
  const { mode = "form", message, requestedSchema } = params
  if (mode !== "form") return undefined
  const schema: JsonSchema = isRecord(requestedSchema) ? requestedSchema : { type: "object", properties: {} }
  return labelQuestion({ message: String(message), schema }, { kind: "server", name: server })
}

/** Returns one question's answer. */
export function toAnswer(answers: Answers | "declined" | "cancelled", key: string): Answer {
  if (answers === "declined") return { action: "decline" }
  if (answers === "cancelled") return { action: "cancel" }
  // The answer was validated against the question's schema, which only has primitives.
  return { action: "accept", content: Object(answers[key] ?? {}) }
}

/** Converts a thrown error to a failure. A refusal keeps the server's words; any other error is the connection's. */
export function toFailure(
  cause: unknown,
  tool: Listed,
  { context, redact }: { readonly context: Pick<ExecuteContext, "signal">; readonly redact: Redact },
): Failure {
  if (cause instanceof ProtocolError) return toRefused(cause, redact)
  const name = JSON.stringify(tool["name"])
  if (context.signal.aborted) return { ok: false, code: "aborted", message: `${name} was aborted by its caller` }
  // A server that rejects the credentials has run nothing.
  const recovery = remedyOf(cause) ?? "it may have run: check before you call it again"
  return {
    ok: false,
    code: "not_available",
    message: `${name} could not be called: ${redact(reasonOf(cause))}`,
    recovery,
  }
}
