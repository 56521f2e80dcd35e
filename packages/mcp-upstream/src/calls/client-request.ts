import type { ClientCapabilities } from "@modelcontextprotocol/client"
import type { ClientRequest, ClientResponse, Question } from "@x/agentic-service"
import { labelQuestion } from "@x/agentic-service/adapter"
import { cleanLine, cleanText, isRecord } from "@x/base"
import type { Askable } from "../upstream.js"
import { toQuestion } from "./to-reply.js"

/** A question to the person or a request to the client, made during a call. */
export type Asked = { readonly question: Question } | { readonly request: ClientRequest }

/** A refused request of a server. */
export interface Unaskable {
  /** The JSON-RPC error code. */
  readonly code: number
  /** The reason. */
  readonly unaskable: string
}

/** All kinds of requests. */
export const ASKABLE: readonly Askable[] = ["elicitation", "sampling", "roots"]

/**
 * Returns the capabilities declared to a legacy server, the same for all callers. Requests beyond the capabilities of a call's
 * client are refused when they arrive.
 */
export function toCapabilities(mayAsk: readonly Askable[]): ClientCapabilities {
  return {
    ...(mayAsk.includes("elicitation") && { elicitation: { form: {}, url: {} } }),
    ...(mayAsk.includes("sampling") && { sampling: { tools: {} } }),
    ...(mayAsk.includes("roots") && { roots: {} }),
  }
}

/** Returns the client capabilities that the server may use. */
export function toDeclared(mayAsk: readonly Askable[], declared: Given = FORMS): Given {
  const { elicitation, sampling, roots } = declared
  return {
    ...(mayAsk.includes("elicitation") && isRecord(elicitation) && { elicitation }),
    // Leaves out `context`: the client's "this server" means all servers behind the gateway.
    ...(mayAsk.includes("sampling") && isRecord(sampling) && { sampling: "tools" in sampling ? { tools: {} } : {} }),
    ...(mayAsk.includes("roots") && isRecord(roots) && { roots: {} }),
  }
}

const FORMS: Given = { elicitation: { form: {} } }

/** The facts for checking and labelling a server's request. */
export interface AskSite {
  /** The server's name in labels. */
  readonly label: string
  /** The usable capabilities of the call's client. Absent for an unknown call, about which nobody is asked. */
  readonly declared?: Readonly<Record<string, unknown>> | undefined
  /** The most characters of a request, as JSON. */
  readonly most: number
}

/** The code that a client without the capability answers (2025-11-25, client/sampling and client/roots). */
const UNDECLARED = -32_601
const INVALID = -32_602

/** Labels and bounds a server's request. Refuses it if the client of the call did not declare the capability. */
export function toAsked(method: string, params: unknown, { label, declared, most }: AskSite): Asked | Unaskable {
  if (JSON.stringify(params ?? {}).length > most) return refuse(INVALID, `it has more than ${most} characters`)
  const given = isRecord(params) ? params : {}
  switch (method) {
    case "elicitation/create":
      return toElicitation(given, { label, declared })
    case "sampling/createMessage":
      return toSampling(given, { label, declared })
    case "roots/list":
      if (declared !== undefined && !isRecord(declared["roots"]))
        return refuse(UNDECLARED, "the client of this call has not declared roots")
      return { request: { method } }
    default:
      return refuse(UNDECLARED, "a server cannot ask a client for this")
  }
}

function refuse(code: number, unaskable: string): Unaskable {
  return { code, unaskable }
}

type Given = Readonly<Record<string, unknown>>
type Site = Pick<AskSite, "label" | "declared">

/**
 * Converts a form to a question, and a page to a request for the client to open it (2025-11-25, client/elicitation, URL mode).
 */
function toElicitation(params: Given, { label, declared }: Site): Asked | Unaskable {
  const { mode, message, url } = params
  if (mode !== "url") {
    const question = toQuestion(params, label)
    return question === undefined ? refuse(INVALID, "it is neither a form nor a page") : { question }
  }
  const elicitation = declared?.["elicitation"]
  if (declared !== undefined && !(isRecord(elicitation) && "url" in elicitation))
    return refuse(INVALID, "the client of this call has not declared that it opens pages")
  if (!isWebPage(url) || typeof message !== "string") return refuse(INVALID, "its URL is not an http or https URL")
  return { request: { method: "elicitation/create", params: labelParams("elicitation/create", params, label) } }
}

function isWebPage(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function toSampling(params: Given, { label, declared }: Site): Asked | Unaskable {
  const sampling = declared?.["sampling"]
  if (declared !== undefined && !isRecord(sampling))
    return refuse(UNDECLARED, "the client of this call has not declared sampling")
  if (isRecord(sampling) && (params["tools"] ?? params["toolChoice"]) !== undefined && !("tools" in sampling))
    return refuse(INVALID, "the client of this call has not declared sampling with tools")
  return { request: { method: "sampling/createMessage", params: labelParams("sampling/createMessage", params, label) } }
}

/**
 * Labels the parameters of a request with the server that asks. Removes `includeContext` from sampling: to the client, "this
 * server" is the gateway with all servers behind it.
 */
export function labelParams(method: string, params: Given, label: string): Given {
  if (method === "elicitation/create") return labelElicitation(params, label)
  if (method !== "sampling/createMessage") return params
  const { includeContext: _context, systemPrompt, messages, _meta, task: _task, ...rest } = params
  const own = typeof systemPrompt === "string" ? `\n\n${cleanText(systemPrompt)}` : ""
  return { ...rest, systemPrompt: `${toLabel(label)}${own}`, messages: cleanMessages(messages) }
}

function toLabel(label: string): string {
  const name = JSON.stringify(cleanLine(label).slice(0, 100))
  return `The server ${name} asks for this. The instructions below and the messages were written by it.`
}

function labelElicitation(params: Given, label: string): Given {
  const { message, requestedSchema, _meta, task: _task, ...rest } = params
  const schema = isRecord(requestedSchema) ? requestedSchema : {}
  const question = labelQuestion({ message: String(message), schema }, { kind: "server", name: label })
  return {
    ...rest,
    message: question.message,
    ...(requestedSchema !== undefined && { requestedSchema: question.schema }),
  }
}

/** Removes characters that a person who reviews the messages cannot see. */
function cleanMessages(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages
  return messages.map((message: unknown) => {
    if (!isRecord(message)) return message
    const { content } = message
    return { ...message, content: Array.isArray(content) ? content.map(cleanBlock) : cleanBlock(content) }
  })
}

function cleanBlock(block: unknown): unknown {
  return isRecord(block) && typeof block["text"] === "string" ? { ...block, text: cleanText(block["text"]) } : block
}

/** Parses an adapter's response to a request; any other value means that nobody answered. */
export function toResponse(given: unknown): ClientResponse {
  if (isRecord(given) && isRecord(given["result"])) return { result: given["result"] }
  const error = isRecord(given) ? given["error"] : undefined
  if (isRecord(error) && typeof error["code"] === "number")
    return { error: { code: error["code"], message: String(error["message"]) } }
  return { error: { code: -32_603, message: "nobody answered" } }
}
