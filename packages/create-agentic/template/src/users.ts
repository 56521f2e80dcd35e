import type { Principal } from "@x/agentic-service"

/** Reads who there is, such as `ann=some-long-key,bob=another-one`: whoever sends a key in `X-API-Key` is that user. */
export function readUsers(text: string): ReadonlyMap<string, Principal> {
  const entries = text.split(",").filter((entry) => entry.trim() !== "")
  return new Map(entries.map(readUser))
}

function readUser(entry: string): [key: string, user: Principal] {
  const [id = "", key = ""] = entry.split("=").map((part) => part.trim())
  if (id === "" || key.length < 16) throw new Error(`USERS: expected name=key with a key of at least 16 characters`)
  return [key, { id }]
}
