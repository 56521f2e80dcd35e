/** Whether a value is a pattern that every 2020-12 validator can compile. */
export function isPattern(value: unknown): value is string {
  if (typeof value !== "string") return false
  try {
    new RegExp(value, "u")
    return true
  } catch {
    return false
  }
}

/** A format that 2020-12 does not know is dropped, as strict validators refuse the whole schema for it. */
export function isFormat(format: unknown): boolean {
  return FORMATS.has(String(format))
}

/** JSON Schema 2020-12, validation, section 7.3. */
const FORMATS: ReadonlySet<string> = new Set([
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
  ...["uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"],
  ...["json-pointer", "relative-json-pointer", "regex"],
])
