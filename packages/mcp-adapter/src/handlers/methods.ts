import { AdapterError } from "../adapter-error.js"
import type { Leg } from "../calls/call-context.js"
import { TASKS } from "../calls/client-requests.js"
import { type StateMode, showsResources } from "../exposures/state-mode.js"
import { createCallTool } from "./call-tool.js"
import type { Extension, ExtensionCapabilities } from "./extension.js"
import { guardHandlers, type Handler, type Handlers, METHOD_NOT_FOUND, ProtocolError } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { createListTools } from "./list-tools.js"
import { createListResources, createListResourceTemplates, createReadResource } from "./resources.js"
import { createCancelTask, createGetTask, createUpdateTask } from "./tasks.js"

/** A parameter's expected shape: a type, one of some strings, or an object. Members whose name ends in `?` are optional. */
export type Shape =
  | "string"
  | "number"
  | "boolean"
  | "object"
  | "strings"
  | "objects"
  | readonly string[]
  | { readonly [name: string]: Shape }

/** The properties of one method. To add a method, add a row to {@link ownMethods}, and its handler. */
export interface Method {
  /** The capability that announces the method. */
  readonly capability?: "tools" | "resources" | "prompts" | "completions" | "logging"
  /** Creates its handler in one view. Absent when the method is not ours, or each connection has its own (`subscriptions`). */
  readonly create?: (options: HandlerOptions) => Handler
  /** Whether it needs a long-lived connection with notices, as in the legacy era. */
  readonly lives?: true
  /** The shape of its parameters, without a tool's or extension's own rules. Absent without parameters. */
  readonly params?: Shape
  /** The reason why an extension cannot answer it. */
  readonly reserved?: string
  /** The field of its result with list items, and their key. */
  readonly list?: { readonly field: string; readonly key: string }
  /** The parameter that names its subject, and the list with such subjects. */
  readonly about?: { readonly key: "name" | "uri"; readonly list: string }
}

const CONNECTION = "belongs to the connection: remove it"
const SUBSCRIPTION = 'the adapter answers for every URI of its "hasResource": remove it'
const PAGE: Shape = { "cursor?": "string" }
const URI: Shape = { uri: "string" }
/** The shape of a program's name and version (`Implementation`). */
export const IMPLEMENTATION: Shape = {
  name: "string",
  version: "string",
  "title?": "string",
  "description?": "string",
  "websiteUrl?": "string",
}
/** Severities of log messages (RFC 5424), ascending. */
export const LEVELS: readonly string[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
]
const aResource: Method["about"] = { key: "uri", list: "resources/list" }

const own: Readonly<Record<string, Method>> = {
  "tools/list": {
    capability: "tools",
    create: createListTools,
    params: PAGE,
    list: { field: "tools", key: "name" },
  },
  "tools/call": {
    capability: "tools",
    create: createCallTool,
    // Tasks of 2025-11-25: they are not announced, and the call runs as any other.
    params: { name: "string", "arguments?": "object", "task?": { "ttl?": "number" } },
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

/** Methods that the adapter answers itself, by name. */
export const ownMethods: ReadonlyMap<string, Method> = new Map(Object.entries(own))

/** Methods of the extension for tasks, which only the modern era has. */
const ofTasks: Readonly<Record<string, Method & Required<Pick<Method, "create">>>> = {
  "tasks/get": { create: createGetTask, params: { taskId: "string" } },
  "tasks/update": { create: createUpdateTask, params: { taskId: "string", "inputResponses?": "object" } },
  "tasks/cancel": { create: createCancelTask, params: { taskId: "string" } },
}

/** Whether a method exists in the modern era alone. */
export function isModernOnly(method: string): boolean {
  return Object.hasOwn(ofTasks, method)
}

/** Methods that belong to extensions or connections. */
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
    reserved: 'the adapter answers when "logging" is announced: remove it',
  },
  initialize: {
    params: { protocolVersion: "string", capabilities: "object", clientInfo: IMPLEMENTATION },
    reserved: CONNECTION,
  },
  ping: { reserved: CONNECTION },
  "server/discover": { reserved: CONNECTION },
  "subscriptions/listen": { params: { notifications: "object" }, reserved: CONNECTION },
}

const methods: ReadonlyMap<string, Method> = new Map(Object.entries({ ...own, ...ofTasks, ...others }))

/** Returns the parameters' shape of each method that takes any. */
export function paramShapes(): ReadonlyMap<string, Shape> {
  return new Map([...methods].flatMap(([name, { params }]) => (params === undefined ? [] : [[name, params]])))
}

/** Creates the handlers of one view for any connection, without methods that the state mode omits. */
export function createHandlers(options: HandlerOptions): Handlers {
  const { states, extension = {}, host, serverName, profile } = options
  const made = shownMethods(states).flatMap(([name, { create }]) =>
    create === undefined ? [] : [[name, create(options)] as const],
  )
  const tasks = options.tasks
    ? Object.entries(ofTasks).map(([name, { create }]) => [name, create(options)] as const)
    : []
  const guarded = guardHandlers(Object.fromEntries([...made, ...tasks]), host.report)
  // An extension's handlers replace ours, which they may call.
  const extended = Object.entries(extension.methods ?? {}).map(
    ([name, extend]) => [name, extend(guarded[name] ?? notFound, { serverName, profile })] as const,
  )
  return { ...guarded, ...guardHandlers(Object.fromEntries(extended), host.report) }
}

/** Returns our methods without those that the state mode omits. */
function shownMethods(states: StateMode): readonly (readonly [string, Method])[] {
  return [...ownMethods].filter(([, { capability }]) => capability !== "resources" || showsResources(states))
}

const notFound: Handler = async () => {
  throw new ProtocolError(METHOD_NOT_FOUND, "Method not found")
}

/**
 * Rejects an extension with reserved methods, when the server is set up.
 *
 * @throws AdapterError `invalid_option`.
 */
export function checkExtension(extension: Extension): void {
  if (typeof extension !== "object" || extension === null) {
    const message = `the option "extension" is ${String(extension)}: expected an object, or a list of objects`
    throw new AdapterError(message, { code: "invalid_option" })
  }
  const { methods: answered = {} } = extension
  for (const method of Object.keys(answered)) {
    const reason = methods.get(method)?.reserved
    if (reason === undefined) continue
    throw new AdapterError(`the extension has the method "${method}", which ${reason}`, { code: "invalid_option" })
  }
}

/** A server's announced capabilities. A `type`, so that SDK types accept it. */
export type Capabilities = ExtensionCapabilities & {
  /** Always present, even without tools, since tools may appear later. */
  readonly tools: {
    /** Whether notices announce changes. */
    readonly listChanged?: true
  }
}

/** What an endpoint offers. */
interface Offered {
  /** The state mode. */
  readonly states: StateMode
  /** The extension. Default: none. */
  readonly extension?: Extension
  /** Whether long calls are handed over. Default `false`. */
  readonly tasks?: boolean
}

/** Returns exactly the capabilities that a leg can deliver: notices are announced only when they can arrive. */
export function toCapabilities(leg: Leg, { states, extension = {}, tasks = false }: Offered): Capabilities {
  const answered = [...shownMethods(states).map(([name]) => name), ...Object.keys(extension.methods ?? {})]
  const said = extension.capabilities?.(leg)
  const takes = tasks && leg.era === "modern" && { extensions: { [TASKS]: {}, ...said?.extensions } }
  const further = { ...impliedBy(answered), ...said, ...takes }
  if (!leg.notices) return { ...withoutNotices(further), ...(showsResources(states) && { resources: {} }), tools: {} }
  const ours = { listChanged: true, subscribe: true }
  return { ...further, ...(showsResources(states) && { resources: ours }), tools: { listChanged: true } }
}

/** Returns capabilities implied by answered methods. Our settings of tools and resources are added elsewhere. */
function impliedBy(answered: readonly string[]): ExtensionCapabilities {
  const implied = answered.map((name) => methods.get(name)?.capability)
  const named = implied.filter((capability) => capability !== undefined && capability !== "tools")
  return Object.fromEntries(named.map((capability) => [capability, {}]))
}

/** Log messages travel like notices, between answers. */
function withoutNotices({ logging: _, prompts, resources, ...rest }: ExtensionCapabilities): ExtensionCapabilities {
  return { ...rest, ...(prompts && { prompts: {} }), ...(resources && { resources: {} }) }
}

/** Returns our methods on a server with these capabilities. */
export function announcedMethods({ resources }: Capabilities): readonly string[] {
  const has = ({ capability, lives }: Method): boolean =>
    capability !== "resources" || (resources !== undefined && (lives !== true || resources.subscribe === true))
  return [...ownMethods].flatMap(([name, method]) => (has(method) ? [name] : []))
}
