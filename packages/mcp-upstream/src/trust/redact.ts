import type { UpstreamEvent } from "../upstream.js"

/** Takes secrets out of a text. */
export type Redact = (text: string) => string

/**
 * Makes what takes the given values out of texts, longest first, also in their URL-encoded form and in base64. Values of fewer
 * than six characters are no secrets: taking those out would make every text unreadable.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const values = [...secrets].flatMap((secret) => [secret, ...wordsOf(secret)]).filter((value) => value.length >= 6)
  const known = [...new Set(values.flatMap((value) => [value, encodeURIComponent(value), toBase64(value)]))]
  known.sort((one, other) => other.length - one.length)
  return (text) => known.reduce((left, value) => left.replaceAll(value, "•••"), text)
}

/** What follows the scheme of a header such as `Bearer …` is as secret as the whole. */
function wordsOf(secret: string): readonly string[] {
  const [scheme, ...rest] = secret.split(" ")
  return scheme !== undefined && /^(bearer|basic|token)$/i.test(scheme) ? rest : []
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
  return [...given, ...parts, ...searchParams.values()].flatMap((value) => [value, decode(value)])
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

/** What of a command's arguments lets its holder in: what stands after a word such as `--api-key`, or in it. */
export function secretsOfArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    const [name = "", ...rest] = arg.split("=")
    if (!/^-.*(key|token|secret|passw|auth|header|credential)/i.test(name)) return []
    const value = rest.length > 0 ? rest.join("=") : args[index + 1]
    return value === undefined ? [] : [value, ...value.split(/:\s*/).slice(1)]
  })
}
