import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, LOG_LEVEL_META_KEY } from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"

type Fields = { readonly [key: string]: unknown }

/**
 * Reads null as absent where MCP lets a member be left out: many languages write what they have not as null, and MCP has null
 * nowhere. What is the application's own, such as arguments, keeps its nulls. Gives the same object if there is none.
 */
export function withoutNulls(params: Fields): { [key: string]: unknown } {
  const given = dropNulls(params, OPTIONAL)
  const { _meta: meta, clientInfo, capabilities } = given
  return replace(given, {
    ...(isRecord(meta) && { _meta: readMeta(meta) }),
    ...(isRecord(clientInfo) && { clientInfo: dropDeep(clientInfo) }),
    ...(isRecord(capabilities) && { capabilities: dropDeep(capabilities) }),
  })
}

function readMeta(meta: Fields): Fields {
  const given = dropNulls(meta, OPTIONAL_META)
  const changed = [CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY].flatMap((key) => {
    const value = given[key]
    return isRecord(value) ? [[key, dropDeep(value)] as const] : []
  })
  return replace(given, Object.fromEntries(changed))
}

/** The optional parameters of MCP's methods. A required one, or the arguments of a tool, stay null: the refusal says what was found. */
const OPTIONAL: readonly string[] = ["_meta", "cursor", "context", "inputResponses", "requestState"]

/** What MCP has in `_meta` and does not demand; other keys are whoever's put them there. */
const OPTIONAL_META: readonly string[] = [
  "progressToken",
  "traceparent",
  "tracestate",
  "baggage",
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
]

/** Leaves null members out on every level. */
function dropDeep(value: Fields): Fields {
  const given = dropNulls(value, Object.keys(value))
  const changed = Object.entries(given).flatMap(([key, part]) =>
    isRecord(part) ? [[key, dropDeep(part)] as const] : [],
  )
  return replace(given, Object.fromEntries(changed))
}

function dropNulls(fields: Fields, names: readonly string[]): Fields {
  const dropped = names.filter((name) => fields[name] === null)
  if (dropped.length === 0) return fields
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.includes(name)))
}

/** Puts other members in the place of those of the same name; gives the same object if all are the same. */
function replace(fields: Fields, changed: Fields): Fields {
  for (const key in changed) if (changed[key] !== fields[key]) return { ...fields, ...changed }
  return fields
}
