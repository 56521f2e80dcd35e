import { DEFAULT_MAX_REQUEST_BODY_SIZE, isJsonContentType, readRequestBody } from "@modelcontextprotocol/server"
import { refuse } from "./refuse.js"

/** A request's body, parsed once, or the answer that refuses it. */
export type ReadBody =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly response: Response }

/** Reads and parses the JSON body of a POST; other methods have none. A body over the SDK's limit (4 MiB) is a 413. */
export async function readBody(request: Request): Promise<ReadBody> {
  if (request.method !== "POST") return parsed(undefined)
  if (!isJsonContentType(request.headers.get("content-type"))) {
    return refused(415, -32000, "Unsupported Media Type: Content-Type must be application/json")
  }
  const read = await readRequestBody(request).catch(() => undefined)
  if (read === undefined) return refused(400, -32700, "Parse error: the request body could not be read")
  if (read.tooLarge) {
    return refused(
      413,
      -32000,
      `Payload Too Large: Request body must not exceed ${DEFAULT_MAX_REQUEST_BODY_SIZE} bytes`,
    )
  }
  try {
    return parsed(JSON.parse(read.text))
  } catch {
    return refused(400, -32700, "Parse error: the request body is not valid JSON")
  }
}

/** A body that was parsed already. */
export function parsed(body: unknown): ReadBody {
  return { ok: true, body }
}

function refused(status: number, code: number, message: string): ReadBody {
  return { ok: false, response: refuse(status, code, message) }
}
