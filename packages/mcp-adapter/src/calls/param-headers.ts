import { isRecord, showJson } from "@x/base"
import type { ParamHeader } from "@x/tool-schemas"
import { decodeHeader } from "../runtime/header-value.js"
import type { Ending } from "./active-call.js"
import type { Arguments, CallContext } from "./call-context.js"

/** Reads a request's header. Returns `undefined` when it is absent. */
export type ReadHeader = NonNullable<CallContext["header"]>

/**
 * Finds the first header that does not repeat its argument (2026-07-28, basic/transports/streamable-http, custom headers from
 * tool parameters), because an intermediary may have acted on it.
 *
 * @returns The value found and the value expected, or `undefined` when all agree.
 */
export function findHeaderFault(
  headers: readonly ParamHeader[],
  args: Arguments,
  read: ReadHeader,
): string | undefined {
  for (const header of headers) {
    const name = `Mcp-Param-${header.name}`
    const fault = compare(header, { name, sent: read(name), value: valueAt(args, header.path) })
    if (fault !== undefined) return fault
  }
  return undefined
}

/** -32020: the headers contradict the body (2026-07-28, basic/index, error codes). */
export const HEADER_MISMATCH = -32020

/** Creates the answer of a call whose headers contradict its arguments. It is sent as the protocol's error. */
export function toMismatched(fault: string): Ending {
  return { kind: "settled", outcome: { ok: false, message: fault, refusal: { code: HEADER_MISMATCH } } }
}

/** A header and its argument. */
interface Pair {
  /** The header's name. */
  readonly name: string
  /** The header's value as received. */
  readonly sent: string | undefined
  /** The argument. */
  readonly value: unknown
}

function compare({ type, path }: ParamHeader, { name, sent, value }: Pair): string | undefined {
  const decoded = sent === undefined || !PLAIN.test(sent) ? undefined : decodeHeader(sent)
  if (sent !== undefined && decoded === undefined) {
    return `the header "${name}" is malformed: expected visible ASCII, or Base64 of UTF-8 between "=?base64?" and "?="`
  }
  const expected = toHeaderText(value)
  // Values other than strings, numbers and booleans cannot be repeated; the tool itself rejects them.
  if (expected === undefined) return undefined
  const at = `"arguments.${path.join(".")}"`
  if (decoded === undefined) return `the header "${name}" is missing: expected it to repeat ${at}`
  const agrees = decoded === expected || (type === "integer" && isSameNumber(decoded, value))
  return agrees ? undefined : `the header "${name}" is ${showJson(decoded)} and ${at} is ${showJson(value)}`
}

/** Visible ASCII with inner blanks (2026-07-28, basic/transports/streamable-http, value encoding). */
const PLAIN = /^[\t\x20-\x7e]*$/

function toHeaderText(value: unknown): string | undefined {
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  return isPlain ? String(value) : undefined
}

/** Checks whether a decimal text equals a number in any notation. */
function isSameNumber(text: string, value: unknown): boolean {
  return typeof value === "number" && /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value
}

function valueAt(args: Arguments, path: readonly string[]): unknown {
  let value: unknown = args
  for (const name of path) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return value
}
