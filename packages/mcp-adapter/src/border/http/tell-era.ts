import { cutText } from "@x/base"
import { HEADER_MISMATCH } from "../../calls/param-headers.js"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { decodeHeader } from "../../runtime/header-value.js"
import { type Claim, findVersionFault, isModern } from "../server/era.js"
import type { RpcError } from "../server/rpc-error.js"
import type { RequestHead } from "./exchange.js"

/** The parts of a request or notification that headers repeat. */
interface Repeated {
  /** The method. */
  readonly method: string
  /** The parameters. */
  readonly params?: unknown
  /** The request's id; absent for a notification. */
  readonly id?: unknown
}

/** A POST's era, or its refusal. */
export type HttpEra = { readonly era: "legacy" | "modern" } | { readonly era: "refused"; readonly error: RpcError }

const LEGACY: HttpEra = { era: "legacy" }

/**
 * Determines the era of a message from its claim, and refuses a modern message whose headers differ from its body (2026-07-28,
 * basic/transports/streamable-http, server validation). A header alone does not make a request modern: a request without the
 * required claim is refused. Notifications carry no claim, so the header decides.
 */
export function tellEra(head: RequestHead, message: Repeated, claim: Claim): HttpEra {
  const header = headerOf(head, "mcp-protocol-version")
  if (claim.kind === "fault") return refused(claim.error)
  if (claim.kind === "none") return tellClaimless(header, message, head)
  if (header !== undefined && header !== claim.version) {
    return mismatch(`the header "MCP-Protocol-Version" is "${header}" and the body says "${claim.version}"`)
  }
  return findMethodFault(head, message) ?? checkVersion(claim.version) ?? checkRequired(head, message, header)
}

function tellClaimless(header: string | undefined, message: Repeated, head: RequestHead): HttpEra {
  // The body of "initialize" negotiates the revision; the header applies to later requests (2025-11-25, basic/transports, protocol
  // version header). A client of a newer revision may send that one with every request.
  if (message.method === "initialize" && message.id !== undefined) return LEGACY
  if (header === undefined || !isModern(header)) return LEGACY
  if (message.id === undefined) return findMethodFault(head, message) ?? checkVersion(header) ?? { era: "modern" }
  const found = `the header "MCP-Protocol-Version" is "${header}", but "params._meta" does not repeat it`
  return refused({
    code: INVALID_PARAMS,
    message: `${found}: expected "io.modelcontextprotocol/protocolVersion" and "…/clientCapabilities" in it`,
    data: { at: "/params/_meta" },
  })
}

function checkVersion(version: string): HttpEra | undefined {
  const fault = findVersionFault(version)
  return fault && refused(fault)
}

function findMethodFault(head: RequestHead, { method }: Repeated): HttpEra | undefined {
  const header = headerOf(head, "mcp-method")
  if (header === undefined || header === method) return undefined
  return mismatch(`the header "Mcp-Method" is "${shorten(header)}" and the body says "${shorten(method)}"`)
}

/** Checks the required headers: every request needs the first two, some the third. Notifications need none. */
function checkRequired(head: RequestHead, message: Repeated, version: string | undefined): HttpEra {
  if (message.id === undefined) return { era: "modern" }
  if (version === undefined) return missing("MCP-Protocol-Version")
  if (headerOf(head, "mcp-method") === undefined) return missing("Mcp-Method")
  return checkName(head, message) ?? { era: "modern" }
}

/** The parameter that the `Mcp-Name` header repeats, by method; tasks follow their extension. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
])

function checkName(head: RequestHead, { method, params }: Repeated): HttpEra | undefined {
  const field = NAMED.get(method)
  if (field === undefined) return undefined
  const named: unknown = Reflect.get(Object(params), field)
  const header = headerOf(head, "mcp-name")
  if (header === undefined) return typeof named === "string" ? missing("Mcp-Name") : undefined
  const decoded = decodeHeader(header)
  if (decoded === undefined)
    return mismatch(`the header "Mcp-Name" is not Base64 of UTF-8 between "=?base64?" and "?="`)
  if (typeof named !== "string" || decoded === named) return undefined
  return mismatch(`the header "Mcp-Name" is "${shorten(decoded)}" and "params.${field}" is "${shorten(named)}"`)
}

/** Returns a header's value without surrounding blanks (RFC 9110, 5.5). */
function headerOf({ headers }: RequestHead, name: string): string | undefined {
  return headers.get(name)?.trim()
}

function missing(name: string): HttpEra {
  return mismatch(`the header "${name}" is missing: expected it to repeat the body`)
}

function mismatch(message: string): HttpEra {
  return refused({ code: HEADER_MISMATCH, message })
}

function refused(error: RpcError): HttpEra {
  return { era: "refused", error }
}

function shorten(text: string): string {
  return cutText(text, 100)
}
