import type { Keywords } from "./json-schema.js"

/** Features that not all pattern engines support. */
export type PatternFeature = "lookaround" | "backreference" | "unicode class"

/** Returns a pattern's special features. */
export function featuresOf(pattern: string): ReadonlySet<PatternFeature> {
  const features = new Set<PatternFeature>()
  if (!/\(\?|\\[1-9kpP]/.test(pattern)) return features
  for (const { kind, text } of readPattern(pattern)) {
    if (kind === "open" && /^\(\?<?[=!]/.test(text)) features.add("lookaround")
    if (kind === "escape" && /^\\(?:k<|[1-9])/.test(text)) features.add("backreference")
    if ((kind === "escape" || kind === "class") && /(?:^|[^\\])(?:\\\\)*\\[pP]\{/.test(text))
      features.add("unicode class")
  }
  return features
}

/**
 * Rewrites a pattern so that every 2020-12 validator can compile it, with the flag `u`. Without that flag, more escapes and a
 * bare `{` or `]` are legal, and mean themselves. Returns `undefined` when the pattern is invalid either way.
 *
 * @example
 * ```ts
 * import { toUnicodePattern } from "@x/tool-schemas/normalise"
 *
 * console.log(toUnicodePattern("^[\\w-.]+$")) // ^[\w\-.]+$
 * ```
 */
export function toUnicodePattern(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return undefined
  if (compiles(pattern, "u")) return pattern
  if (!compiles(pattern, "")) return undefined
  const written = readPattern(pattern).map(toUnicodeToken).join("")
  return compiles(written, "u") ? written : undefined
}

/** Returns patterns of names that JavaScript cannot read. */
export function unreadableNames({ patternProperties }: Keywords): readonly string[] {
  return Object.keys(Object(patternProperties)).filter((name) => toUnicodePattern(name) === undefined)
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags)
    return true
  } catch {
    return false
  }
}

function toUnicodeToken({ kind, text }: Token): string {
  if (kind === "escape") return toUnicodeEscape(text)
  if (kind === "class") {
    // A hyphen beside a class, as in `[\w-.]`, is no range.
    const inside = text.replace(/\\[\s\S]/g, toUnicodeEscape)
    return inside.replace(/(\\[dDsSwW])-(?!\])/g, "$1\\-").replace(/-(?=\\[dDsSwW])/g, "\\-")
  }
  return kind === "text" && /^[{}\]]$/.test(text) ? `\\${text}` : text
}

/** Rewrites a needless escape to the character itself. */
function toUnicodeEscape(given: string): string {
  if (given === "\\-") return "\\x2d"
  const isForNothing =
    /^\\[^\w^$\\.*+?()[\]{}|/]$/.test(given) || /^\\[aeghijlmoqyzACEFGHIJKLMNOQRTUVXYZ_]$/.test(given)
  return isForNothing ? given.slice(1) : given
}

/**
 * Rewrites a pattern in a subset that every engine supports, even grammars of local models: anchored at both ends, without
 * lookaround, back references, named classes or lazy repetition. Returns `undefined` when the pattern needs more.
 */
export function toPlainPattern(pattern: string): string | undefined {
  if (PLAIN.test(pattern)) return pattern
  const tokens = readPattern(pattern)
  const inside = tokens.slice(1, -1)
  const isWhole = tokens.length > 1 && tokens[0]?.text === "^" && tokens.at(-1)?.text === "$"
  if (!isWhole || featuresOf(pattern).size > 0 || hasOuterChoice(inside)) return undefined
  const written = inside.map((token, index) => {
    const isRepeated = inside[index + 1]?.kind === "quantifier"
    // Grammars would repeat only its last byte.
    return isRepeated && /^[^\0-\x7f]/.test(token.text) ? `[${token.text}]` : toPlainToken(token)
  })
  return written.includes(undefined) ? undefined : `^${written.join("")}$`
}

/** Obviously plain patterns: letters and classes of letters in a row, each with an optional repetition. */
const PLAIN = /^\^(?:(?:\[\^?[^\\[\]^]+\]|[\w\- :/@#%=,;!~"'<>&])(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})?)*\$$/

/** Checks for a choice outside groups, which would contain the anchors. */
function hasOuterChoice(tokens: readonly Token[]): boolean {
  let depth = 0
  return tokens.some(({ kind }) => {
    depth += kind === "open" ? 1 : kind === "close" ? -1 : 0
    return kind === "or" && depth === 0
  })
}

function toPlainToken({ kind, text }: Token): string | undefined {
  switch (kind) {
    case "open":
      // The kind of group does not matter.
      return "("
    case "quantifier":
      return toRange(text).least > MAX_REPEATED ? undefined : text.replace(/(?<=.)\?$/, "")
    case "escape":
      return toPlainEscape(text, false)
    case "class":
      return toPlainClass(text)
    case "text":
      return text === "^" || text === "$" ? undefined : text
    default:
      return text
  }
}

/**
 * Rewrites a pattern so that engines with other spaces and line ends than JavaScript's, such as RE2, match the same texts.
 * Returns `undefined` when impossible.
 *
 * @example
 * ```ts
 * import { toExplicitPattern } from "@x/tool-schemas/normalise"
 *
 * console.log(toExplicitPattern("^.+$")) // ^[^\\n\\r\\u2028\\u2029]+$
 * ```
 */
export function toExplicitPattern(pattern: string): string | undefined {
  const written = readPattern(pattern).map(({ kind, text }) => {
    if (kind === "text" && text === ".") return "[^\\n\\r\\u2028\\u2029]"
    if (kind === "escape" && /^\\[sS]$/.test(text)) return toPlainEscape(text, false)
    return kind === "class" ? toExplicitClass(text) : text
  })
  return written.includes(undefined) ? undefined : written.join("")
}

function toExplicitClass(text: string): string | undefined {
  const pieces: readonly string[] = text.match(/\\[\s\S]|[\s\S]/g) ?? []
  return pieces.includes("\\S")
    ? undefined
    : pieces.map((piece) => (piece === "\\s" ? SHORTHANDS["s"] : piece)).join("")
}

const MAX_REPEATED = 1_000

const SHORTHANDS: Readonly<Record<string, string>> = {
  d: "0-9",
  w: "A-Za-z0-9_",
  s: "\\t\\n\\x0b\\x0c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff",
}

function toPlainEscape(given: string, isInClass: boolean): string | undefined {
  const letter = given.slice(1)
  const shorthand = SHORTHANDS[letter]
  if (shorthand !== undefined) return isInClass ? shorthand : `[${shorthand}]`
  const opposite = SHORTHANDS[letter.toLowerCase()]
  if (opposite !== undefined) return isInClass ? undefined : `[^${opposite}]`
  if (/^[trn\\]$/.test(letter) || /^x|^u[0-9a-fA-F]/.test(letter)) return given
  if (/^[bBvf0ckpPu]/.test(letter)) return undefined
  // Characters without a special meaning are only known without a backslash.
  const isKept = isInClass ? /^[[\]-]$/.test(letter) : /^[\^$.[\]()|{}*+?-]$/.test(letter)
  if (isKept) return given
  return isInClass ? letter.replace("^", "\\x5e") : letter
}

function toPlainClass(text: string): string | undefined {
  const [, start = "", inside = ""] = /^(\[\^?)([\s\S]*)\]$/.exec(text) ?? []
  // No grammar can express an empty class.
  if (inside === "") return undefined
  const written = inside
    .match(/\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|[\s\S]/gu)
    ?.map((piece) => (piece.startsWith("\\") ? toPlainEscape(piece, true) : piece))
  return written?.includes(undefined) ? undefined : `${start}${written?.join("")}]`
}

/**
 * Checks whether the host's own engine runs a pattern in linear time: its only unbounded repetition has one character, occurs
 * once and starts at one place, and there are few ways to divide the rest.
 *
 * @example
 * ```ts
 * import { isLinear } from "@x/tool-schemas/normalise"
 *
 * console.log(isLinear("^[a-z]+$"), isLinear("^(a+)+$")) // true false
 * ```
 */
export function isLinear(pattern: string): boolean {
  const tokens = readPattern(pattern)
  const quantifiers = tokens.filter(({ kind }) => kind === "quantifier").map(({ text }) => toRange(text))
  const endless = quantifiers.filter(({ most }) => most === Number.POSITIVE_INFINITY)
  const ways = quantifiers.reduce(
    (all, { least, most }) => (most === Number.POSITIVE_INFINITY ? all : all * (most - least + 1)),
    1,
  )
  const isPlain = tokens.every(({ kind }) => kind !== "open" && kind !== "or") && featuresOf(pattern).size === 0
  return isPlain && ways <= MAX_WAYS && (endless.length === 0 || (endless.length === 1 && tokens[0]?.text === "^"))
}

const MAX_WAYS = 1_000

function toRange(quantifier: string): { readonly least: number; readonly most: number } {
  const [, least = "", comma, most = ""] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
  if (least !== "") {
    const end = comma === "" ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most)
    return { least: Number(least), most: end }
  }
  return { least: quantifier.startsWith("+") ? 1 : 0, most: quantifier.startsWith("?") ? 1 : Number.POSITIVE_INFINITY }
}

/** A piece of a pattern. */
interface Token {
  readonly kind: "escape" | "class" | "open" | "close" | "or" | "quantifier" | "text"
  readonly text: string
}

/** Splits a pattern into pieces that together form the whole. */
function readPattern(pattern: string): readonly Token[] {
  return Array.from(pattern.matchAll(TOKENS), ({ groups = {}, 0: text }): Token => {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined) ?? ["text"]
    return { kind: kind as Token["kind"], text } // the group names
  })
}

const TOKENS = new RegExp(
  [
    String.raw`(?<escape>\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|[0-9]+|[^]))`,
    String.raw`(?<class>\[(?:\\[^]|[^\]\\])*\])`,
    String.raw`(?<open>\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<or>\|)`,
    String.raw`(?<quantifier>(?:[*+?]|\{\d+(?:,\d*)?\})\??)`,
    "(?<text>[^])",
  ].join("|"),
  "gu",
)

/** Checks for a 2020-12 format. Other formats are dropped, because strict validators reject a whole schema for one. */
export function isFormat(format: unknown): boolean {
  return FORMATS.has(String(format))
}

/** JSON Schema 2020-12, validation, section 7.3. */
const FORMATS: ReadonlySet<string> = new Set([
  ...["date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6"],
  ...["uri", "uri-reference", "iri", "iri-reference", "uuid", "uri-template"],
  ...["json-pointer", "relative-json-pointer", "regex"],
])
