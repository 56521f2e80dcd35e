import { isRecord, showShort } from "@x/base"
import type { AdapterError } from "../../adapter-error.js"
import { checkPrincipal, refuseAnswer, runCallback } from "../../runtime/callback.js"
import type { Admission } from "./auth.js"
import type { Answer } from "./exchange.js"

/**
 * Reads the result of `authenticate`, which may come from untyped code. A principal may have a `status` property of its own, so
 * it is recognised by its `id`.
 *
 * @throws AdapterError `callback_failed` for a result of another kind.
 */
export async function readAuthAnswer(who: unknown): Promise<Admission | Answer> {
  if (!isRecord(who))
    throw refuseAnswer(AUTHENTICATE, `${showShort(who)}: expected a principal, an admission or an answer that refuses`)
  if ("principal" in who) return readAdmission(who)
  if (typeof who["status"] === "number" && !("id" in who)) return toAnswer(who)
  return { principal: checkPrincipal(AUTHENTICATE, who) }
}

const AUTHENTICATE = "authenticate"

function readAdmission(admission: Readonly<Record<string, unknown>>): Admission {
  const { expires, holds } = admission
  const principal = checkPrincipal(AUTHENTICATE, admission["principal"])
  if (expires !== undefined && !(expires instanceof Date && !Number.isNaN(expires.getTime())))
    throw refuseAnswer(AUTHENTICATE, `"expires" that is ${showShort(expires)}: expected a valid Date`)
  if (holds !== undefined && typeof holds !== "function")
    throw refuseAnswer(AUTHENTICATE, `"holds" that is ${showShort(holds)}: expected a function`)
  return {
    principal,
    ...(expires !== undefined && { expires }),
    // Its result is checked at each call.
    ...(holds !== undefined && { holds: holds as NonNullable<Admission["holds"]> }),
  }
}

/** Converts an answer or a `Response`. A host may have a `Response` class of its own, so it is recognised by its methods. */
async function toAnswer(answer: Readonly<Record<string, unknown>>): Promise<Answer> {
  if (typeof answer["arrayBuffer"] !== "function") return checkAnswer(AUTHENTICATE, answer)
  const response = answer as unknown as Response // recognised by its method above
  return checkAnswer(AUTHENTICATE, {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await runCallback(AUTHENTICATE, () => response.arrayBuffer())),
  })
}

/**
 * Checks an answer that a function of the application returned: one that cannot be sent would leave its client waiting.
 *
 * @throws AdapterError `callback_failed` that names the function and the faulty part.
 */
export function checkAnswer(name: string, answer: unknown): Answer {
  const refused = (fault: string): AdapterError => refuseAnswer(name, `an answer ${fault}`)
  if (!isRecord(answer)) throw refused(`that is ${showShort(answer)}: expected an object with a "status"`)
  const { status, headers, body } = answer
  if (!Number.isInteger(status) || Number(status) < 200 || Number(status) > 599)
    throw refused(`of the status ${showShort(status)}: expected a whole number from 200 to 599`)
  if (headers !== undefined && !isRecord(headers))
    throw refused(`with headers that are ${showShort(headers)}: expected an object of strings by name`)
  for (const [header, value] of Object.entries(headers ?? {})) {
    if (typeof value !== "string" || !HEADER.test(header) || !HEADER_VALUE.test(value))
      throw refused(
        `with the header ${showShort(header)} that cannot be sent: expected a string of printable characters`,
      )
  }
  const parts = Array.isArray(body) ? body : [body]
  if (!parts.every((part) => part === undefined || typeof part === "string" || part instanceof Uint8Array))
    throw refused(`with a body that is ${showShort(body)}: expected a string or bytes; write an object as JSON text`)
  return answer as unknown as Answer // its parts are checked above
}

/** The characters allowed in a header's name and value (RFC 9110, 5.1 and 5.5). */
const HEADER = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
