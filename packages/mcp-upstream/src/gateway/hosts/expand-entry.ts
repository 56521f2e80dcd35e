import { isRecord } from "@x/base"
import { refuseForeign } from "./foreign-notations.js"
import type { Fields, HostForm } from "./recognise-host.js"
import { createVariables, hasOnlyPlaces, type Values, type Variables } from "./variables.js"

/** An entry with expanded variables. */
export interface ExpandedEntry {
  /** The entry, in its host's notation. */
  readonly fields: Fields
  /** Expands further texts, and has the faults so far. */
  readonly variables: Variables
  /** The texts that contain a variable's value, to redact in messages. */
  readonly secrets: readonly string[]
}

/** The keys under which hosts keep an entry's environment. */
const ENVIRONMENTS = ["env", "environment", "envs"]

/**
 * Expands the variables of one entry. Its own environment comes first in all fields but the environment itself: hosts either
 * expand such a variable so, or leave it to the program, which finds it there.
 */
export function expandEntry(
  entry: Fields,
  {
    dialect,
    values,
    path,
  }: { readonly dialect: HostForm["dialect"]; readonly values: Values; readonly path: readonly string[] },
): ExpandedEntry {
  const secrets: string[] = []
  const outer = createVariables(dialect, values)
  const expandKey = (key: string, value: unknown, variables: Variables): readonly [string, unknown] => {
    const script = key === "args" && isShell(entry["command"])
    return [key, expandIn(value, [...path, key], { variables, secrets, script })]
  }
  const isEnvironment = ([key]: readonly [string, unknown]): boolean => ENVIRONMENTS.includes(key)
  const environments = Object.entries(entry)
    .filter(isEnvironment)
    .map(([key, value]) => expandKey(key, value, outer))
  const own = Object.assign({}, ...environments.map(([, value]) => textsIn(value)))
  const inner = createVariables(dialect, { ...values, environment: { ...values.environment, ...own } }, outer.faults)
  refuseForeign(entry, { variables: inner, path }, dialect)
  const others = Object.entries(entry)
    .filter((field) => !isEnvironment(field))
    .map(([key, value]) => expandKey(key, value, inner))
  return { fields: Object.fromEntries([...environments, ...others]), variables: inner, secrets }
}

function textsIn(environment: unknown): Readonly<Record<string, string>> {
  const texts = isRecord(environment)
    ? Object.entries(environment).filter(([, value]) => typeof value === "string")
    : []
  // The filter leaves only texts.
  return Object.fromEntries(texts) as Record<string, string>
}

/** Returns whether a command is a shell, whose arguments are scripts with variables of their own. */
function isShell(command: unknown): boolean {
  return (
    typeof command === "string" && /(^|[\\/])(ba|da|z|k|fi)?sh$|(^|[\\/])(cmd|pwsh|powershell)(\.exe)?$/i.test(command)
  )
}

interface Expander {
  readonly variables: Variables
  /** Collects texts with expanded variables. */
  readonly secrets?: string[]
  readonly script: boolean
}

/** Expands the variables of all texts in a value. */
export function expandIn(value: unknown, path: readonly string[], expander: Expander): unknown {
  if (typeof value === "string") {
    const text = expander.variables.expand(value, path, { script: expander.script })
    if (text !== value && !hasOnlyPlaces(value)) expander.secrets?.push(text)
    return text
  }
  if (Array.isArray(value)) return value.map((item, index) => expandIn(item, [...path, String(index)], expander))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandIn(member, [...path, key], expander)]),
  )
}
