import type { Principal } from "@x/agentic-service"

/**
 * Parses the users and their keys, such as `ann=some-long-key,bob=another-long-key`. A request's header `X-API-Key` contains
 * its user's key. An empty text means no users. Any other text that is not a valid list throws, so that a typing mistake never
 * opens the server.
 */
export function readUsers(text: string): ReadonlyMap<string, Principal> {
  const users = new Map<string, Principal>()
  if (text === "") return users
  for (const entry of text.split(",")) {
    const [, id, key] = /^\s*([^=\s][^=]*?)\s*=\s*(\S{16,})\s*$/.exec(entry) ?? []
    if (id === undefined || key === undefined)
      throw new Error("USERS: expected name=key,name=key with keys of at least 16 characters and without spaces")
    if (users.has(key))
      throw new Error(`USERS: "${users.get(key)?.id}" and "${id}" have the same key: give each user a different one`)
    users.set(key, { id })
  }
  return users
}
