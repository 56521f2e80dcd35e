import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server"
import { isRecord } from "@x/base"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { IMPLEMENTATION, LEVELS, paramShapes, type Shape } from "../../handlers/methods.js"
import { show } from "./messages.js"
import { type RpcError, toPlace } from "./rpc-error.js"

/** The `_meta` of every modern request (2026-07-28, basic/index, `_meta`). */
const ENVELOPE: Shape = {
  [PROTOCOL_VERSION_META_KEY]: "string",
  [CLIENT_CAPABILITIES_META_KEY]: "object",
  [`${CLIENT_INFO_META_KEY}?`]: IMPLEMENTATION,
  [`${LOG_LEVEL_META_KEY}?`]: LEVELS,
}

/** Returns a value's fault; `undefined` for valid ones. */
type Check = (value: unknown) => RpcError | undefined

/** The shape of an object's members, by the object's shape. */
const toParts = { strings: "string", objects: "object" } as const

const checks: ReadonlyMap<string, Check> = new Map(
  [...paramShapes()].map(([method, shape]) => [method, toCheck(shape, ["params"])]),
)
const checkEnvelope = toCheck(ENVELOPE, ["params", "_meta"])

/**
 * Returns what is wrong with the parameters of an MCP request, with the place, in plainer words than a schema validator's.
 * Returns `undefined` if they are valid, or if MCP does not define the method. The tool itself checks its arguments.
 */
export function findParamsFault(method: string, params: unknown = {}): RpcError | undefined {
  const fault = checks.get(method)?.(params)
  if (fault !== undefined || method !== "initialize") return fault
  const { capabilities, clientInfo } = Object(params)
  return findCapabilityFault(capabilities, ["params", "capabilities"]) ?? findIconsFault(clientInfo, INFO)
}

const INFO: Place = ["params", "clientInfo"]

/** Checks a program's icons (`Icon`). */
function findIconsFault(info: unknown, at: Place): RpcError | undefined {
  const { icons }: { readonly icons?: unknown } = Object(info)
  if (icons === undefined) return undefined
  if (!Array.isArray(icons)) return toFault(icons, "an array", [...at, "icons"])
  for (const [index, icon] of icons.entries()) {
    const place = [...at, "icons", String(index)]
    if (!isRecord(icon) || icon["src"] === undefined) return toFault(icon, 'an object with "src", a string', place)
    const fault = toCheck(ICON, place)(icon) ?? findNoStrings(Object(icon).sizes, [...place, "sizes"])
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The shape of an icon, without its sizes. */
const ICON: Shape = { src: "string", "mimeType?": "string", "theme?": ["light", "dark"] }

function findNoStrings(list: unknown, at: Place): RpcError | undefined {
  if (list === undefined) return undefined
  const isList = Array.isArray(list) && list.every((item) => typeof item === "string")
  return isList ? undefined : toFault(list, "an array of strings", at)
}

/** Checks the `_meta` of a modern request. */
export function findEnvelopeFault(meta: unknown): RpcError | undefined {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities, [CLIENT_INFO_META_KEY]: info } = Object(meta)
  return (
    checkEnvelope(meta) ??
    findCapabilityFault(capabilities, ["params", "_meta", CLIENT_CAPABILITIES_META_KEY]) ??
    findIconsFault(info, ["params", "_meta", CLIENT_INFO_META_KEY])
  )
}

/** The shapes of the capabilities that MCP defines. */
const CAPABILITIES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["elicitation", { "form?": { "applyDefaults?": "boolean" }, "url?": "object" }],
  ["sampling", { "context?": "object", "tools?": "object" }],
  ["roots", { "listChanged?": "boolean" }],
  [
    "tasks",
    {
      "list?": "object",
      "cancel?": "object",
      "requests?": { "sampling?": { "createMessage?": "object" }, "elicitation?": { "create?": "object" } },
    },
  ],
  ["experimental", "objects"],
  ["extensions", "objects"],
])

/** Checks capabilities: each is an object, and each of its settings is an object or a boolean. */
function findCapabilityFault(capabilities: object, place: Place): RpcError | undefined {
  for (const [name, capability] of Object.entries(capabilities)) {
    const at = [...place, name]
    if (!isRecord(capability)) return toFault(capability, "an object", at)
    const shape = CAPABILITIES.get(name)
    const fault = shape && toCheck(shape, at)(capability)
    if (fault !== undefined) return fault
    for (const [setting, value] of Object.entries(capability)) {
      if (!isRecord(value) && typeof value !== "boolean") return toFault(value, "an object", [...at, setting])
    }
  }
  return undefined
}

type Place = readonly string[]

/** Creates the check of a shape once, with its place, so that a valid request costs only a few comparisons. */
function toCheck(shape: Shape, at: Place): Check {
  if (isChoice(shape)) {
    const expected = `one of ${shape.map((choice) => `"${choice}"`).join(", ")}`
    return (value) => (typeof value === "string" && shape.includes(value) ? undefined : toFault(value, expected, at))
  }
  if (typeof shape === "object") return toMembersCheck(shape, at)
  if (shape === "string" || shape === "number" || shape === "boolean") {
    return (value) => (typeof value === shape ? undefined : toFault(value, `a ${shape}`, at))
  }
  const isObject: Check = (value) => (isRecord(value) ? undefined : toFault(value, "an object", at))
  if (shape === "object") return isObject
  const part = toParts[shape]
  return (value) => isObject(value) ?? findPartFault(Object(value), part, at)
}

function isChoice(shape: Shape): shape is readonly string[] {
  return Array.isArray(shape)
}

function toMembersCheck(shape: { readonly [name: string]: Shape }, at: Place): Check {
  const members = Object.entries(shape).map(([declared, part]) => {
    const optional = declared.endsWith("?")
    const name = optional ? declared.slice(0, -1) : declared
    return { name, optional, check: toCheck(part, [...at, name]) }
  })
  return (value) => {
    if (!isRecord(value)) return toFault(value, "an object", at)
    for (const member of members) {
      const fault = checkMember(value, member)
      if (fault !== undefined) return fault
    }
    return undefined
  }
}

interface Member {
  readonly name: string
  readonly optional: boolean
  readonly check: Check
}

function checkMember(
  value: Readonly<Record<string, unknown>>,
  { name, optional, check }: Member,
): RpcError | undefined {
  const given = Object.hasOwn(value, name) ? value[name] : undefined
  return given === undefined && optional ? undefined : check(given)
}

function findPartFault(value: object, part: "string" | "object", at: Place): RpcError | undefined {
  for (const [name, member] of Object.entries(value)) {
    const fault = toCheck(part, [...at, name])(member)
    if (fault !== undefined) return fault
  }
  return undefined
}

function toFault(found: unknown, expected: string, at: Place): RpcError {
  return { code: INVALID_PARAMS, message: `"${at.join(".")}" is ${show(found)}: expected ${expected}`, ...toPlace(at) }
}
