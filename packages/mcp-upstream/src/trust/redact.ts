import { base64ToText, textToBase64 } from "@x/base"
import type { UpstreamEvent } from "../upstream.js"

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/**
 * Creates a function that removes the given values from texts, longest first. It also removes their URL, JSON and base64 forms,
 * and each part that is a secret by itself. Values shorter than six characters are kept, since removing them would make every
 * text unreadable.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const values = [...secrets].flatMap((secret) => [secret, ...partsOf(secret)]).filter((value) => value.length >= 6)
  const known = [...new Set(values.flatMap(spellingsOf))]
  known.sort((one, other) => other.length - one.length)
  return (text) => known.reduce((left, value) => left.replaceAll(value, "•••"), text)
}

function spellingsOf(value: string): readonly string[] {
  return [value, encode(value), JSON.stringify(value).slice(1, -1), textToBase64(value)]
}

/**
 * Returns the parts that are secrets by themselves: a header's value after its scheme, each line of a key, the secret parts of
 * a URL.
 */
function partsOf(secret: string): readonly string[] {
  const [scheme = "", ...rest] = secret.split(" ")
  const words = /^(bearer|basic|token)$/i.test(scheme) ? rest : []
  const named = /^basic$/i.test(scheme) ? (base64ToText(rest.join("")) ?? "") : ""
  const cookies = secret.includes(";") ? secret.split(/;\s*/).map((pair) => pair.slice(pair.indexOf("=") + 1)) : []
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 12)
  const url = secret.includes("://") && URL.canParse(secret) ? secretsOfUrl(new URL(secret)) : []
  return [...words, named, named.slice(named.indexOf(":") + 1), ...cookies, ...lines, ...url]
}

/** Removes secrets from every text and member name in a plain JSON value. */
export function redactAll<Value>(redact: Redact, value: Value): Value {
  // Texts stay texts and all else is unchanged, so the type stays.
  return redactIn(redact, value, 0) as Value
}

function redactIn(redact: Redact, value: unknown, depth: number): unknown {
  if (typeof value === "string") return redact(value)
  if (typeof value !== "object" || value === null) return value
  if (depth > DEEPEST) return "…"
  if (Array.isArray(value)) return value.map((item) => redactIn(redact, item, depth + 1))
  const members = Object.entries(value).map(([key, member]) => [redact(key), redactIn(redact, member, depth + 1)])
  return Object.fromEntries(members)
}

/** The depth below which data is left out. */
const DEEPEST = 64

/** Removes secrets from the server's parts of an event; our own words stay, even if they equal a secret. */
export function redactEvent(redact: Redact, event: UpstreamEvent): UpstreamEvent {
  switch (event.type) {
    case "log": {
      const { logger, data } = event
      return { ...event, data: redactAll(redact, data), ...(logger !== undefined && { logger: redact(logger) }) }
    }
    case "stderr":
      return { ...event, line: redact(event.line) }
    case "definition_changed":
      return { ...event, diff: redactAll(redact, event.diff) }
    case "diagnostic":
      return { ...event, message: redact(event.message) }
    case "status":
      // The reason is already redacted, since callers get it too.
      return event
  }
}

/**
 * Returns the secret parts of a URL: name and password, the query's values, and path segments too long to be words. Many
 * servers are reached by such a URL.
 */
export function secretsOfUrl(url: URL): readonly string[] {
  const { username, password, searchParams, search, hash, pathname } = url
  const given = [username, password, search.slice(1), hash.slice(1)]
  const parts = pathname.split("/").filter((part) => part.length >= 20)
  return [...given, ...parts, ...searchParams.values()].flatMap((value) => [value, decodeLeniently(value)])
}

function encode(value: string): string {
  try {
    return encodeURIComponent(value)
  } catch {
    // An encoded character was cut in half.
    return value
  }
}

/** Decodes a part of a URL, or returns an undecodable one unchanged. */
export function decodeLeniently(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** Returns the secrets in a command's arguments: the value of an option such as `--api-key`, and the secret parts of URLs. */
export function secretsOfArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg.includes("://") && URL.canParse(arg)) return secretsOfUrl(new URL(arg))
    const [name = "", ...rest] = arg.split("=")
    if (!/^-.*(key|token|secret|passw|auth|header|credential)/i.test(name)) return []
    const value = rest.length > 0 ? rest.join("=") : args[index + 1]
    return value === undefined ? [] : [value, ...value.split(/:\s*/).slice(1)]
  })
}
