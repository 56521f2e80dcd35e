import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  RELATED_TASK_META_KEY,
} from "@modelcontextprotocol/server"
import { isRecord } from "@x/base"

type Fields = { readonly [key: string]: unknown }

/**
 * Removes null members that MCP allows to be absent: many languages write absent members as null, which MCP does not know.
 * Application data, such as the members of arguments, keeps its nulls. Without nulls, returns the same object.
 */
export function withoutNulls(params: Fields): { [key: string]: unknown } {
  if (!holdsNull(params, APPLICATION)) return params
  const given = dropNulls(params, OPTIONAL)
  const { _meta: meta, clientInfo, capabilities } = given
  return replace(given, {
    ...(isRecord(meta) && { _meta: readMeta(meta) }),
    ...(isRecord(clientInfo) && { clientInfo: dropDeep(clientInfo) }),
    ...(isRecord(capabilities) && { capabilities: dropDeep(capabilities) }),
  })
}

/** Whether any member is null, also within members, except within the excluded ones. Most messages hold none. */
function holdsNull(fields: object, excluded?: ReadonlySet<string>): boolean {
  for (const key in fields) {
    const value: unknown = Reflect.get(fields, key)
    if (value === null) return true
    if (typeof value === "object" && excluded?.has(key) !== true && holdsNull(value)) return true
  }
  return false
}

/** Parameters with application data, which may be large. */
const APPLICATION: ReadonlySet<string> = new Set(["arguments", "inputResponses"])

function readMeta(meta: Fields): Fields {
  const given = dropNulls(meta, OPTIONAL_META)
  const changed = [CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY].flatMap((key) => {
    const value = given[key]
    return isRecord(value) ? [[key, dropDeep(value)] as const] : []
  })
  return replace(given, Object.fromEntries(changed))
}

/**
 * The optional parameters of MCP's methods. Required parameters stay null, so that the error shows them. `arguments` is null in
 * languages that encode an empty map so, such as Go.
 */
const OPTIONAL: readonly string[] = [
  "_meta",
  "cursor",
  "arguments",
  "task",
  "context",
  "inputResponses",
  "requestState",
]

/** The optional `_meta` keys that MCP defines; other keys belong to their senders. */
const OPTIONAL_META: readonly string[] = [
  "progressToken",
  "traceparent",
  "tracestate",
  "baggage",
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  RELATED_TASK_META_KEY,
]

/** Removes null members on every level. */
function dropDeep(value: Fields): Fields {
  const given = dropNulls(value, Object.keys(value))
  const changed = Object.entries(given).map(([key, part]) => [key, dropWithin(part)] as const)
  return replace(given, Object.fromEntries(changed))
}

function dropWithin(value: unknown): unknown {
  if (isRecord(value)) return dropDeep(value)
  return Array.isArray(value) ? value.map(dropWithin) : value
}

function dropNulls(fields: Fields, names: readonly string[]): Fields {
  const dropped = names.filter((name) => fields[name] === null)
  if (dropped.length === 0) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.includes(name)))
}

/** Replaces members by name; returns the same object if nothing changes. */
function replace(fields: Fields, changed: Fields): Fields {
  for (const key in changed) if (changed[key] !== fields[key]) return { ...fields, ...changed }
  return fields
}
