import { DEFAULT_MAX_REQUEST_BODY_SIZE, isJsonContentType, readRequestBody } from "@modelcontextprotocol/server"
import { type RequestExtra, refuse } from "./http-exchange.js"

/** How much of a request is taken in. */
export interface BodyLimits {
  /** The most bytes of a body that are read; a larger one is a 413. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /** The most arrays and objects inside each other; a deeper body is a 400. Default 100. */
  readonly maxBodyDepth?: number
}

/** A request's body, parsed once, or the answer that refuses it. */
export type ReadBody =
  | {
      /** It was read. */
      readonly ok: true
      /** What it holds; `undefined` where the method has none. */
      readonly body: unknown
    }
  | {
      /** It cannot be read, or is too large. */
      readonly ok: false
      /** The answer that says so. */
      readonly response: Response
      /** What the answer says, which holds nothing of the body. */
      readonly reason: string
    }

/** Reads and parses the JSON body of a POST, where the host has not; other methods have none. */
export async function readBody(
  request: Request,
  { parsedBody }: RequestExtra = {},
  limits: BodyLimits = {},
): Promise<ReadBody> {
  if (parsedBody !== undefined) return parsed(parsedBody, limits)
  if (request.method !== "POST") return parsed(undefined, limits)
  const { maxBodyBytes = DEFAULT_MAX_REQUEST_BODY_SIZE } = limits
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return refused(415, -32000, "Unsupported Media Type: Content-Type must be application/json")
  }
  const read = await readRequestBody(request, maxBodyBytes).catch(() => undefined)
  if (read === undefined) return refused(400, -32700, "Parse error: the request body could not be read")
  if (read.tooLarge) {
    return refused(413, -32000, `Payload Too Large: Request body must not exceed ${maxBodyBytes} bytes`)
  }
  try {
    return parsed(JSON.parse(read.text), limits)
  } catch {
    return refused(400, -32700, "Parse error: the request body is not valid JSON")
  }
}

function parsed(body: unknown, { maxBodyDepth = 100 }: BodyLimits): ReadBody {
  if (!isTooDeep(body, maxBodyDepth)) return { ok: true, body }
  return refused(400, -32600, `Invalid Request: the body must not be nested deeper than ${maxBodyDepth}`)
}

function refused(status: number, code: number, message: string): ReadBody {
  return { ok: false, response: refuse(status, code, message), reason: message }
}

/** Whether a JSON value has more than `limit` arrays and objects inside each other. Does not recurse. */
export function isTooDeep(value: unknown, limit: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === limit) return true
    level = level.flatMap((nested) => Object.values(nested).filter(isNested))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
