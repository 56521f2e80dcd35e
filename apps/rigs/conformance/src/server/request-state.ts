import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { ProtocolError } from "@x/mcp-adapter"

// Made when it is needed: a worker has no random numbers while it is loaded.
let key: Buffer | undefined

/** Signs what a client is to hand back. */
export function seal(state: string): string {
  return `${Buffer.from(state).toString("base64url")}.${sign(state).toString("base64url")}`
}

/** What was sealed. Anything else that comes back is refused: a client may send what it likes. */
export function unseal(sealed: string | undefined): string | undefined {
  if (sealed === undefined) return undefined
  const [body = "", signature = ""] = sealed.split(".")
  const state = Buffer.from(body, "base64url").toString()
  const given = Buffer.from(signature, "base64url")
  // Compared as text as well: base64 that is read leniently has more than one spelling.
  if (given.length === 32 && timingSafeEqual(sign(state), given) && sealed === seal(state)) return state
  throw new ProtocolError(-32602, "the request state is not one of ours")
}

function sign(state: string): Buffer {
  key ??= randomBytes(32)
  return createHmac("sha256", key).update(state).digest()
}
