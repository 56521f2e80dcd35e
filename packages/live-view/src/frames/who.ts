import type { ClientRow } from "./frame.js"

// Alone, because the page loads it, and nothing of the adapter.

/** Tells callers and listeners apart: programs that limits count as one, such as two of one principal, stay two. */
export function toCallerKey({ info, client }: Pick<ClientRow, "info" | "client">): string {
  return info === undefined ? client : `${client} ${info.name}`
}

/** Says who called or listens, for people: the client's name, else the principal, else what limits count by. */
export function toWho({ info, principal, client }: Pick<ClientRow, "info" | "principal" | "client">): string {
  return info === undefined || info.name === "" ? (principal ?? client) : info.name
}
