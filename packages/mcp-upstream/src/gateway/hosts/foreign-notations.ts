import { isRecord } from "@x/base"
import type { Dialect, EntryContext } from "./variables.js"

/** A notation of variables or secrets. Messages show its form only, since the text itself may be a secret. */
interface Notation {
  readonly form: string
  readonly pattern: RegExp
}

const BRACES: Notation = { form: "a variable of a shell", pattern: /\$\{[^}]*\}/ }
const CURLY: Notation = { form: "{env:NAME} or {file:path}", pattern: /(?<!\$)\{(?:env|file):[^}]*\}/ }

/** Notations that no host of ours has: those of LibreChat, shells, Windows and stores of secrets. */
const FOREIGN: readonly Notation[] = [
  { form: "{{NAME}}", pattern: /\{\{\s*[\w.:-]+\s*\}\}/ },
  { form: "$(command)", pattern: /\$\([^()]+\)/ },
  // Two hexadecimal digits may be an encoded character of a URL.
  { form: "%NAME%", pattern: /%(?![0-9a-f]{2})[a-z_]\w{2,}%/i },
  { form: "the address of a secret", pattern: /^(?:op|vault|keychain|keyring|secret):\/\//i },
]

/** Fields whose values a server gets as they are. Arguments may be templates or scripts of their own. */
const FIELDS = /^(?:headers|http_headers|env|envs|environment|url|httpUrl|serverUrl|uri|oauth|auth)$/

/**
 * Reports texts of an entry that are variables or secrets in the notation of another program. Sent as they are, they would be
 * wrong credentials. The texts are those of the file: a variable's value may contain anything. In a file of its own because
 * the notations grow with other programs, and not with ours.
 */
export function refuseForeign(
  entry: Readonly<Record<string, unknown>>,
  { variables, path }: EntryContext,
  dialect: Dialect,
): void {
  const notations = [...FOREIGN, ...(dialect === "opencode" ? [BRACES] : dialect === "none" ? [] : [CURLY])]
  const look = (value: unknown, at: readonly string[]): void => {
    if (isRecord(value)) for (const [key, member] of Object.entries(value)) look(member, [...at, key])
    const found = typeof value === "string" ? notations.find(({ pattern }) => pattern.test(value)) : undefined
    if (found !== undefined)
      variables.fault(
        at,
        `contains ${found.form}, which the gateway does not replace: put the value into a variable of the environment, and name that`,
      )
  }
  for (const [key, value] of Object.entries(entry)) if (FIELDS.test(key)) look(value, [...path, key])
}
