import { isRecord } from "@x/base"
import type { Fields, HostForm } from "./recognise-host.js"

/** A part of a file that seems to restrict a server. */
export interface Suspicion {
  /** The server; `undefined` for all. */
  readonly name: string | undefined
  /** Its place in the file. */
  readonly path: readonly string[]
}

const RESTRICTS =
  /allow|den(y|ied)|disab|exclu|block|permi|restrict|forbid|prohibit|whitelist|blacklist|polic|read_?only/i

/** The depth of the search. */
const DEEPEST = 4

/** Finds unknown members that seem to restrict servers: those that name a server, or concern servers in general. */
export function suspect(
  rest: Fields,
  { names, host }: { readonly names: readonly string[]; readonly host: HostForm["host"] },
): readonly Suspicion[] {
  // An editor's settings also mention servers and tools in other contexts.
  const servers = host === "mcpServers" ? /mcp|servers?$|tools?$/i : /mcp/i
  const look = (value: unknown, path: readonly string[]): readonly Suspicion[] => {
    if (path.length > DEEPEST || isEmpty(value)) return []
    const found = path.some((key) => RESTRICTS.test(key)) ? aboutIn(value, path) : []
    if (found.length > 0 || !isRecord(value)) return found
    return Object.entries(value).flatMap(([key, member]) => look(member, [...path, key]))
  }
  const aboutIn = (value: unknown, path: readonly string[]): readonly Suspicion[] => {
    const named = names.filter((name) => mentions(value, name) || path.some((key) => isNamed(key, name)))
    if (named.length > 0) return named.map((name) => ({ name, path }))
    return servers.test(path.join(".")) ? [{ name: undefined, path }] : []
  }
  return Object.entries(rest).flatMap(([key, value]) => look(value, [key]))
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === undefined || (isRecord(value) && Object.keys(value).length === 0)
}

function mentions(value: unknown, name: string): boolean {
  if (typeof value === "string") return isNamed(value, name)
  if (Array.isArray(value)) return value.some((each) => mentions(each, name))
  return isRecord(value) && Object.entries(value).some(([key, each]) => isNamed(key, name) || mentions(each, name))
}

/** Returns whether a text is a server's name, or begins or ends with it like tool names. */
export function isNamed(text: string, name: string): boolean {
  if (text === name) return true
  const at = text.indexOf(name)
  if (at < 0 || name === "") return false
  const [before = "", after = ""] = [text[at - 1], text[at + name.length]]
  return !/[A-Za-z0-9]/.test(before) && !/[A-Za-z0-9]/.test(after)
}
