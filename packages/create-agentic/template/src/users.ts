import type { Principal } from "@x/agentic-service"

/**
 * Reads the users by their keys, such as `ann=some-long-key,bob=another-long-key`: a request with a key in its header
 * `X-API-Key` is that user's. An empty text has no users; any other text that is not a list of them is an error, so that a
 * typing mistake never opens the server.
 */
export function readUsers(text: string): ReadonlyMap<string, Principal> {
  const users = new Map<string, Principal>()
  if (text === "") return users
  for (const entry of text.split(",")) {
    const [, id, key] = /^\s*([^=\s][^=]*?)\s*=\s*(\S{16,})\s*$/.exec(entry) ?? []
    if (id === undefined || key === undefined)
      throw new Error("USERS: expected name=key,name=key with keys of at least 16 characters and without spaces")
    if (users.has(key))
      throw new Error(`USERS: "${users.get(key)?.id}" and "${id}" have the same key: give each their own`)
    users.set(key, { id })
  }
  return users
}
