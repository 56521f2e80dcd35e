import { INVALID_PARAMS } from "../../handlers/handler.js"
import { type Claim, findVersionFault, isModern } from "../server/era.js"
import { HEADER_MISMATCH, type RpcError } from "../server/rpc-error.js"
import type { RequestHead } from "./exchange.js"

/** A request or notification, as far as headers repeat it. */
interface Repeated {
  /** The method. */
  readonly method: string
  /** Its parameters. */
  readonly params?: unknown
  /** Which request it is; absent for a notification. */
  readonly id?: unknown
}

/** Which era a POST is of, or why it is of none. */
export type HttpEra = { readonly era: "legacy" | "modern" } | { readonly era: "refused"; readonly error: RpcError }

const LEGACY: HttpEra = { era: "legacy" }

/**
 * Tells the era of a message by what it claims, and refuses a modern one whose headers do not repeat it (2026-07-28,
 * basic/transports/streamable-http, server validation). A header alone makes no request modern: a request that lacks the
 * claim it needs is refused. Notifications carry no claim, so for them the header decides.
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
  if (header === undefined || !isModern(header)) return LEGACY
  if (message.method === "initialize" && message.id !== undefined) {
    return mismatch(`the header "MCP-Protocol-Version" is "${header}": expected no "initialize" with it`)
  }
  if (message.id === undefined) return findMethodFault(head, message) ?? checkVersion(header) ?? { era: "modern" }
  const found = `"params._meta" does not say what the header "MCP-Protocol-Version" says, which is "${header}"`
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

/** Every request has the first two; some the third. Of notifications nothing is said. */
function checkRequired(head: RequestHead, message: Repeated, version: string | undefined): HttpEra {
  if (message.id === undefined) return { era: "modern" }
  if (version === undefined) return missing("MCP-Protocol-Version")
  if (headerOf(head, "mcp-method") === undefined) return missing("Mcp-Method")
  return checkName(head, message) ?? { era: "modern" }
}

/** Where the methods whose requests have a header with a name have that name; tasks as in their extension. */
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
  const decoded = decode(header)
  if (decoded === undefined) return mismatch(`the header "Mcp-Name" is no Base64 of UTF-8 between "=?base64?" and "?="`)
  if (typeof named !== "string" || decoded === named) return undefined
  return mismatch(`the header "Mcp-Name" is "${shorten(decoded)}" and "params.${field}" is "${shorten(named)}"`)
}

/** What is no plain ASCII comes in Base64 (2026-07-28, basic/transports/streamable-http, value encoding). */
function decode(value: string): string | undefined {
  if (!value.startsWith("=?base64?") || !value.endsWith("?=")) return value
  const base64 = value.slice("=?base64?".length, -"?=".length)
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The value of a header without the blanks around it (RFC 9110, 5.5). */
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
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
