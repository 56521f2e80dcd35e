import type { ClientRow } from "./frame.js"

// A module of its own, because the page loads it without the adapter.

/**
 * Returns a key that separates callers and listeners: two programs of one principal stay two, although limits count them as
 * one.
 */
export function toCallerKey({ info, client }: Pick<ClientRow, "info" | "client">): string {
  return info === undefined ? client : `${client} ${info.name}`
}

/** Returns a caller's or listener's name for people: the client's name, else the principal, else the client's id for limits. */
export function toWho({ info, principal, client }: Pick<ClientRow, "info" | "principal" | "client">): string {
  return info === undefined || info.name === "" ? (principal ?? client) : info.name
}
