import type { UpstreamEvent } from "../upstream.js"

/** Takes secrets out of a text. */
export type Redact = (text: string) => string

/**
 * Makes what takes the given values out of texts, longest first, also as they are written in a URL, in JSON and in base64, and
 * each part that is a secret by itself. Values of fewer than six characters are no secrets: taking those out would make every
 * text unreadable.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const values = [...secrets].flatMap((secret) => [secret, ...partsOf(secret)]).filter((value) => value.length >= 6)
  const known = [...new Set(values.flatMap(spellingsOf))]
  known.sort((one, other) => other.length - one.length)
  return (text) => known.reduce((left, value) => left.replaceAll(value, "•••"), text)
}

function spellingsOf(value: string): readonly string[] {
  return [value, encode(value), JSON.stringify(value).slice(1, -1), toBase64(value)]
}

/** What of a secret is one by itself: of a header what follows its scheme, of a key each line, of a URL what lets its holder in. */
function partsOf(secret: string): readonly string[] {
  const [scheme = "", ...rest] = secret.split(" ")
  const words = /^(bearer|basic|token)$/i.test(scheme) ? rest : []
  const named = /^basic$/i.test(scheme) ? fromBase64(rest.join("")) : ""
  const cookies = secret.includes(";") ? secret.split(/;\s*/).map((pair) => pair.slice(pair.indexOf("=") + 1)) : []
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= 12)
  const url = secret.includes("://") && URL.canParse(secret) ? secretsOfUrl(new URL(secret)) : []
  return [...words, named, named.slice(named.indexOf(":") + 1), ...cookies, ...lines, ...url]
}

function fromBase64(value: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(value), (each) => each.charCodeAt(0)))
  } catch {
    return ""
  }
}

function toBase64(value: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(value)))
}

/** Takes secrets out of every text of a value that is plain data, and of the names in it. */
export function redactAll<Value>(redact: Redact, value: Value): Value {
  // Every text is a text again, and everything else is as it was.
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

/** How deep data may be; what is deeper is left out. */
const DEEPEST = 64

/** Takes secrets out of what is told; the words that are ours stay, whatever a secret reads like. */
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
      // Its reason has none: callers are told it as well.
      return event
  }
}

/**
 * What of a URL lets its holder in: a name and password, what its query holds, and what of its path is too long to be a word.
 * Many servers are given out as such a URL.
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
    // Half a character.
    return value
  }
}

/** Decodes a part of a URL; what cannot be decoded stands for itself. */
export function decodeLeniently(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** What of a command's arguments lets its holder in: what stands after a word such as `--api-key`, or in it, and in a URL. */
export function secretsOfArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (arg.includes("://") && URL.canParse(arg)) return secretsOfUrl(new URL(arg))
    const [name = "", ...rest] = arg.split("=")
    if (!/^-.*(key|token|secret|passw|auth|header|credential)/i.test(name)) return []
    const value = rest.length > 0 ? rest.join("=") : args[index + 1]
    return value === undefined ? [] : [value, ...value.split(/:\s*/).slice(1)]
  })
}
