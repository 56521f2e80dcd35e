import { isRecord, showShort } from "@x/tool-schemas/json"
import type { AdapterError } from "../../adapter-error.js"
import { checkPrincipal, refuseAnswer, runCallback } from "../../runtime/callback.js"
import type { Admission } from "./auth.js"
import type { Answer } from "./exchange.js"

/**
 * Reads what `authenticate` gave, which may come from code without types. A principal of the application's may have a `status`
 * of its own, so it is told by its id.
 *
 * @throws AdapterError `callback_failed` for anything but a principal, an admission or an answer.
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
    // Whether it answers with a boolean is looked at when it is asked.
    ...(holds !== undefined && { holds: holds as NonNullable<Admission["holds"]> }),
  }
}

/** Takes an answer, or a `Response`, which hosts have of their own, so it is told by what it can do. */
async function toAnswer(answer: Readonly<Record<string, unknown>>): Promise<Answer> {
  if (typeof answer["arrayBuffer"] !== "function") return checkAnswer(AUTHENTICATE, answer)
  const response = answer as unknown as Response // what the line above has told it by
  return checkAnswer(AUTHENTICATE, {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await runCallback(AUTHENTICATE, () => response.arrayBuffer())),
  })
}

/**
 * Checks an answer that a function of the application gave: one that cannot be sent would leave its client waiting.
 *
 * @throws AdapterError `callback_failed` that names the function and the part.
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
  return answer as unknown as Answer // whose parts the lines above have looked at
}

/** What a header may be called, and hold (RFC 9110, 5.1 and 5.5). */
const HEADER = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
