import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { IMPLEMENTATION, LEVELS, paramShapes, type Shape } from "../../handlers/methods.js"
import { show } from "./messages.js"
import { type RpcError, toPlace } from "./rpc-error.js"

/** What every request of the modern era says of itself (2026-07-28, basic/index, `_meta`). */
const ENVELOPE: Shape = {
  [PROTOCOL_VERSION_META_KEY]: "string",
  [CLIENT_CAPABILITIES_META_KEY]: "object",
  [`${CLIENT_INFO_META_KEY}?`]: IMPLEMENTATION,
  [`${LOG_LEVEL_META_KEY}?`]: LEVELS,
}

/** Finds what is wrong with a value; `undefined` where nothing is. */
type Check = (value: unknown) => RpcError | undefined

const checks: ReadonlyMap<string, Check> = new Map(
  [...paramShapes()].map(([method, shape]) => [method, toCheck(shape, ["params"])]),
)
const checkEnvelope = toCheck(ENVELOPE, ["params", "_meta"])

/**
 * Finds what is wrong with the parameters of a request that MCP defines, in our words and with the place, before a
 * validator finds it in its own; `undefined` where nothing is, or where the method is none of MCP's. What the arguments of a
 * tool hold is for the tool to check.
 */
export function findParamsFault(method: string, params: unknown = {}): RpcError | undefined {
  const fault = checks.get(method)?.(params)
  if (fault !== undefined || method !== "initialize") return fault
  const { capabilities, clientInfo } = Object(params)
  return findCapabilityFault(capabilities, ["params", "capabilities"]) ?? findIconsFault(clientInfo, INFO)
}

const INFO: Place = ["params", "clientInfo"]

/** The pictures of a program (`Icon`), each with a place. */
function findIconsFault(info: unknown, at: Place): RpcError | undefined {
  const { icons }: { readonly icons?: unknown } = Object(info)
  if (icons === undefined) return undefined
  if (!Array.isArray(icons)) return toFault(icons, "an array", [...at, "icons"])
  const odd = icons.findIndex((icon) => typeof Object(icon).src !== "string")
  return odd < 0 ? undefined : toFault(icons[odd], 'an object with "src", a string', [...at, "icons", String(odd)])
}

/** {@link findParamsFault} for the `_meta` of a modern request. */
export function findEnvelopeFault(meta: unknown): RpcError | undefined {
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities, [CLIENT_INFO_META_KEY]: info } = Object(meta)
  return (
    checkEnvelope(meta) ??
    findCapabilityFault(capabilities, ["params", "_meta", CLIENT_CAPABILITIES_META_KEY]) ??
    findIconsFault(info, ["params", "_meta", CLIENT_INFO_META_KEY])
  )
}

/** Each capability is an object, and so is each of its settings but for plain flags. */
function findCapabilityFault(capabilities: object, place: Place): RpcError | undefined {
  for (const [name, capability] of Object.entries(capabilities)) {
    const at = [...place, name]
    if (!isRecord(capability)) return toFault(capability, "an object", at)
    for (const [setting, value] of Object.entries(capability)) {
      if (!isRecord(value) && typeof value !== "boolean") return toFault(value, "an object", [...at, setting])
    }
  }
  return undefined
}

type Place = readonly string[]

/** Made once for each shape, with its place: a request that is right costs a few comparisons. */
function toCheck(shape: Shape, at: Place): Check {
  if (isChoice(shape)) {
    const expected = `one of ${shape.map((choice) => `"${choice}"`).join(", ")}`
    return (value) => (typeof value === "string" && shape.includes(value) ? undefined : toFault(value, expected, at))
  }
  if (typeof shape === "object") return toMembersCheck(shape, at)
  if (shape === "string") return (value) => (typeof value === "string" ? undefined : toFault(value, "a string", at))
  const isObject: Check = (value) => (isRecord(value) ? undefined : toFault(value, "an object", at))
  return shape === "object" ? isObject : (value) => isObject(value) ?? findNoString(Object(value), at)
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

function findNoString(value: object, at: Place): RpcError | undefined {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part !== "string") return toFault(part, "a string", [...at, name])
  }
  return undefined
}

function toFault(found: unknown, expected: string, at: Place): RpcError {
  return { code: INVALID_PARAMS, message: `"${at.join(".")}" is ${show(found)}: expected ${expected}`, ...toPlace(at) }
}
