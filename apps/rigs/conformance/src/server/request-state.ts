import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import { ProtocolError } from "@x/mcp-adapter"

// Created on first use, because workers have no random numbers while they load.
let key: Buffer | undefined

/** Signs a state that the client returns with its answers. */
export function seal(state: string): string {
  return `${Buffer.from(state).toString("base64url")}.${sign(state).toString("base64url")}`
}

/** Returns the signed state. Rejects anything else, since a client may send any value. */
export function unseal(sealed: string | undefined): string | undefined {
  if (sealed === undefined) return undefined
  const [body = "", signature = ""] = sealed.split(".")
  const state = Buffer.from(body, "base64url").toString()
  const given = Buffer.from(signature, "base64url")
  // Also compares the text, because lenient base64 decoding accepts several spellings.
  if (given.length === 32 && timingSafeEqual(sign(state), given) && sealed === seal(state)) return state
  throw new ProtocolError(-32602, "the request state was not issued by this server")
}

function sign(state: string): Buffer {
  key ??= randomBytes(32)
  return createHmac("sha256", key).update(state).digest()
}
