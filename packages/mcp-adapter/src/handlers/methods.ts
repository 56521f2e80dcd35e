import { AdapterError } from "../adapter-error.js"
import type { Leg } from "../calls/call-context.js"
import { type StateMode, showsResources } from "../exposures/state-mode.js"
import { createCallTool } from "./call-tool.js"
import type { Extension, ExtensionCapabilities } from "./extension.js"
import { guardHandlers, type Handler, type Handlers, METHOD_NOT_FOUND, ProtocolError } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { createListTools } from "./list-tools.js"
import { createListResources, createListResourceTemplates, createReadResource } from "./resources.js"

/** A method that is answered from the services. */
export type OwnMethod =
  | "tools/list"
  | "tools/call"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read"
  | "resources/subscribe"
  | "resources/unsubscribe"

/** What a parameter has to be: a type, one of some strings, or an object; a member whose name ends in `?` may be left out. */
export type Shape = "string" | "object" | "strings" | readonly string[] | { readonly [name: string]: Shape }

/** What is known of one method: whoever adds one, adds a row, and its handler. */
interface Method {
  /** What a server announces where it has the method. */
  readonly capability?: "tools" | "resources" | "prompts" | "completions" | "logging"
  /** Makes its handler in one view. Absent where it is not ours, or each connection has its own (`subscriptions`). */
  readonly create?: (options: HandlerOptions) => Handler
  /** Whether it is answered on connections only that live on and carry notices: the legacy era's. */
  readonly lives?: true
  /** What its parameters have to be, besides what a tool or an extension wants of them. Absent where it wants none. */
  readonly params?: Shape
  /** Why an extension cannot answer it. */
  readonly reserved?: string
  /** Where its result has the items of a list, and what an item is known by. */
  readonly list?: { readonly field: string; readonly key: string }
  /** The parameter that says what it is about, and the list that has such things. */
  readonly about?: { readonly key: "name" | "uri"; readonly list: OwnMethod }
}

const CONNECTION = "belongs to the connection: take it out"
const SUBSCRIPTION = 'is answered for every URI that its "hasResource" knows: take it out'
const PAGE: Shape = { "cursor?": "string" }
const URI: Shape = { uri: "string" }
/** Who a program is (`Implementation`). */
export const IMPLEMENTATION: Shape = {
  name: "string",
  version: "string",
  "title?": "string",
  "description?": "string",
  "websiteUrl?": "string",
}
/** How much a log message matters (RFC 5424), from the least. */
export const LEVELS: Shape = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
const aResource: Method["about"] = { key: "uri", list: "resources/list" }

/** The methods that are answered from the services. */
export const ownMethods: Readonly<Record<OwnMethod, Method>> = {
  "tools/list": {
    capability: "tools",
    create: createListTools,
    params: PAGE,
    list: { field: "tools", key: "name" },
  },
  "tools/call": {
    capability: "tools",
    create: createCallTool,
    params: { name: "string", "arguments?": "object" },
    about: { key: "name", list: "tools/list" },
  },
  "resources/list": {
    capability: "resources",
    create: createListResources,
    params: PAGE,
    list: { field: "resources", key: "uri" },
  },
  "resources/templates/list": {
    capability: "resources",
    create: createListResourceTemplates,
    params: PAGE,
    list: { field: "resourceTemplates", key: "uriTemplate" },
  },
  "resources/read": { capability: "resources", create: createReadResource, params: URI, about: aResource },
  "resources/subscribe": {
    capability: "resources",
    lives: true,
    params: URI,
    reserved: SUBSCRIPTION,
    about: aResource,
  },
  "resources/unsubscribe": {
    capability: "resources",
    lives: true,
    params: URI,
    reserved: SUBSCRIPTION,
    about: aResource,
  },
}

/** Their names. */
// `Object.keys` forgets which strings it gives; these are the keys of a record of them all.
export const ownMethodNames: readonly OwnMethod[] = Object.keys(ownMethods) as OwnMethod[]

/** Those that are an extension's to answer, or the connection's. */
const others: Readonly<Record<string, Method>> = {
  "prompts/list": { capability: "prompts", params: PAGE },
  "prompts/get": { capability: "prompts", params: { name: "string", "arguments?": "strings" } },
  "completion/complete": {
    capability: "completions",
    params: {
      ref: { type: ["ref/prompt", "ref/resource"], "name?": "string", "uri?": "string" },
      argument: { name: "string", value: "string" },
      "context?": { "arguments?": "strings" },
    },
  },
  "logging/setLevel": {
    capability: "logging",
    params: { level: LEVELS },
    reserved: 'is answered where "logging" is announced: take it out',
  },
  initialize: {
    params: { protocolVersion: "string", capabilities: "object", clientInfo: IMPLEMENTATION },
    reserved: CONNECTION,
  },
  ping: { reserved: CONNECTION },
  "server/discover": { reserved: CONNECTION },
  "subscriptions/listen": { params: { notifications: "object" }, reserved: CONNECTION },
}

const methods: ReadonlyMap<string, Method> = new Map(Object.entries({ ...ownMethods, ...others }))

/** The methods that want parameters, and which. */
export function paramShapes(): ReadonlyMap<string, Shape> {
  return new Map([...methods].flatMap(([name, { params }]) => (params === undefined ? [] : [[name, params]])))
}

/** What each MCP method answers in one view, whatever the connection; no method that the state mode leaves out. */
export function createHandlers(options: HandlerOptions): Handlers {
  const { states, extension = {}, host } = options
  const shown = Object.entries(ownMethods).filter(
    ([, { capability }]) => capability !== "resources" || showsResources(states),
  )
  const made = shown.flatMap(([name, { create }]) => (create === undefined ? [] : [[name, create(options)] as const]))
  const guarded = guardHandlers(Object.fromEntries(made), host.report)
  // An extension's handlers stand in the place of ours, which they are given to call.
  const extended = Object.entries(extension.methods ?? {}).map(
    ([name, extend]) => [name, extend(guarded[name] ?? notFound, { serverName: options.serverName })] as const,
  )
  return { ...guarded, ...guardHandlers(Object.fromEntries(extended), host.report) }
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}

/**
 * Refuses an extension that answers what is not its to answer, when the server is set up and not at the first request.
 *
 * @throws AdapterError `invalid_option`.
 */
export function checkExtension(extension: Extension): void {
  if (typeof extension !== "object" || extension === null) {
    const message = `the option "extension" is ${String(extension)}: expected an object, or a list of objects`
    throw new AdapterError("invalid_option", message)
  }
  const { methods: answered = {} } = extension
  for (const method of Object.keys(answered)) {
    const reason = methods.get(method)?.reserved
    if (reason === undefined) continue
    throw new AdapterError("invalid_option", `the extension has the method "${method}", which ${reason}`)
  }
}

/** What a server announces of itself. A `type` so that SDK types accept it. */
export type Capabilities = ExtensionCapabilities & {
  /** Always there, also with no tool yet: one may come. */
  readonly tools: {
    /** Whether notices tell of changes. */
    readonly listChanged?: true
  }
}

/** Says exactly what a leg can deliver: no notice is promised where none can arrive. */
export function toCapabilities(leg: Leg, states: StateMode, extension: Extension = {}): Capabilities {
  const further = { ...impliedBy(extension), ...extension.capabilities?.(leg) }
  if (!leg.notices) return { ...withoutNotices(further), ...(showsResources(states) && { resources: {} }), tools: {} }
  const ours = { listChanged: true, subscribe: true }
  return { ...further, ...(showsResources(states) && { resources: ours }), tools: { listChanged: true } }
}

/** A method that is answered is announced; what is ours is announced besides, and log messages are a choice. */
function impliedBy({ methods: answered = {} }: Extension): ExtensionCapabilities {
  const implied = Object.keys(answered).map((name) => methods.get(name)?.capability)
  const named = implied.filter((capability) => capability !== undefined && capability !== "tools")
  return Object.fromEntries(named.map((capability) => [capability, {}]))
}

/** Log messages arrive as notices do, between the answers. */
function withoutNotices({ logging: _, prompts, resources, ...rest }: ExtensionCapabilities): ExtensionCapabilities {
  return { ...rest, ...(prompts && { prompts: {} }), ...(resources && { resources: {} }) }
}

/** The methods of our own that a server has which announces this. */
export function announcedMethods({ resources }: Capabilities): readonly OwnMethod[] {
  const has = ({ capability, lives }: Method): boolean =>
    capability !== "resources" || (resources !== undefined && (lives !== true || resources.subscribe === true))
  return ownMethodNames.filter((name) => has(ownMethods[name]))
}
