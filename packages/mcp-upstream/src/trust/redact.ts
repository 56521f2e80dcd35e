/** Takes secrets out of a text. */
export type Redact = (text: string) => string

/**
 * Makes what takes the given values out of texts, longest first, also in their URL-encoded form. Values of fewer than six
 * characters are no secrets: taking those out would make every text unreadable.
 */
export function createRedact(secrets: Iterable<string>): Redact {
  const values = [...secrets].flatMap((secret) => [secret, ...wordsOf(secret)]).filter((value) => value.length >= 6)
  const known = [...new Set(values.flatMap((value) => [value, encodeURIComponent(value)]))]
  known.sort((one, other) => other.length - one.length)
  return (text) => known.reduce((left, value) => left.replaceAll(value, "•••"), text)
}

/** What follows the scheme of a header such as `Bearer …` is as secret as the whole. */
function wordsOf(secret: string): readonly string[] {
  const [scheme, ...rest] = secret.split(" ")
  return scheme !== undefined && /^(bearer|basic|token)$/i.test(scheme) ? rest : []
}
