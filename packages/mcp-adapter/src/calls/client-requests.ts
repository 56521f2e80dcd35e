import type { ClientRequest, ClientResponse } from "@x/agentic-service"
import { isRecord } from "@x/base"
import type { CallContext } from "./call-context.js"

/** Requests to a client, by key. */
export type ClientRequests = Readonly<Record<string, ClientRequest>>

type Asker = Pick<CallContext, "clientCapabilities" | "leg">

/** The client capabilities that let a server ask the client for something. */
const KINDS = ["elicitation", "sampling", "roots"] as const

/** The extension for clients that take tasks themselves (ext-tasks, SEP-2663). */
export const TASKS = "io.modelcontextprotocol/tasks"

/** Whether capabilities contain the extension for tasks. */
export function declaresTasks({ extensions }: CallContext["clientCapabilities"]): boolean {
  return isRecord(extensions) && isRecord(extensions[TASKS])
}

/**
 * Returns the capabilities by which the client of a call can be asked in the middle of it, and the extension for tasks if a
 * modern client declared it.
 */
export function askableOf({ clientCapabilities, leg }: Asker): CallContext["clientCapabilities"] {
  if (leg.era === "legacy" && !leg.notices) return NOTHING
  let askable: Record<string, unknown> | undefined
  for (const kind of KINDS) {
    const settings = clientCapabilities[kind]
    if (isRecord(settings)) askable = { ...askable, [kind]: settings }
  }
  if (leg.era === "modern" && declaresTasks(clientCapabilities)) return { ...askable, ...AWAITED }
  return askable ?? NOTHING
}

const NOTHING = Object.freeze({})

/** The capabilities of a caller that waits for the end of every task. */
export const AWAITED: CallContext["clientCapabilities"] = Object.freeze({ extensions: Object.freeze({ [TASKS]: {} }) })

/** Whether the client declared the capabilities that all requests need. */
export function canAnswer(context: Asker, requests: ClientRequests): boolean {
  const declared = askableOf(context)
  return Object.values(requests).every((request) => isDeclared(declared, request))
}

function isDeclared(
  { elicitation, sampling, roots }: CallContext["clientCapabilities"],
  { method, params = {} }: ClientRequest,
): boolean {
  switch (method) {
    case "roots/list":
      return roots !== undefined
    case "sampling/createMessage":
      return isRecord(sampling) && ("tools" in sampling || (params["tools"] ?? params["toolChoice"]) === undefined)
    case "elicitation/create":
      return isRecord(elicitation) && params["mode"] === "url" && "url" in elicitation
    default:
      return false
  }
}

/** A JSON-RPC error with which a client answered a request. Only a border creates one: no client can send it as a result. */
export class ClientRefusal {
  /** The JSON-RPC code. */
  readonly code: number
  /** The reason in the client's words. */
  readonly message: string

  constructor(code: number, message: string) {
    this.code = code
    this.message = message
  }
}

/** Reads the response to each request. Returns `undefined` if one is missing. */
export function readResponses(
  { inputResponses = {} }: Pick<CallContext, "inputResponses">,
  requests: ClientRequests,
): Readonly<Record<string, ClientResponse>> | undefined {
  const read: Record<string, ClientResponse> = {}
  for (const key of Object.keys(requests)) {
    const given = Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined
    if (given instanceof ClientRefusal) read[key] = { error: { code: given.code, message: given.message } }
    else if (isRecord(given)) read[key] = { result: given }
    else return undefined
  }
  return read
}
