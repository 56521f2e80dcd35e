import type { Report } from "../../runtime/diagnostic.js"
import type { ListKind } from "./list-all.js"
import { type MergedList, mergeLists } from "./merge-lists.js"
import type { Method } from "./put-handlers.js"
import type { Extra, SdkHandler } from "./sdk-handler.js"

/** What is ours, and what was there before. */
export interface MethodsOptions {
  /** Ours for a method. */
  ours(method: Method): SdkHandler
  /** Those the server had before us, by method. */
  readonly theirs: ReadonlyMap<string, SdkHandler>
  /** Whether a tool's name, or a resource's URI, means something to us. */
  knows(key: "name" | "uri", id: string, extra: Extra): Promise<boolean>
  /** The most items on a page of a list. */
  readonly pageSize: number
  /** Told of names that both have. */
  readonly report: Report
}

/** The handlers that answer for both: lists are merged, everything else goes to whoever knows the name. */
export function createMethods(options: MethodsOptions): Readonly<Record<Method, SdkHandler>> {
  const tools = merge(TOOLS, options)
  const resources = merge(RESOURCES, options)
  const templates = merge(TEMPLATES, options)
  return {
    "tools/list": tools.list,
    "tools/call": route("tools/call", tools, options),
    "resources/list": resources.list,
    "resources/templates/list": templates.list,
    "resources/read": route("resources/read", resources, options),
    "resources/subscribe": route("resources/subscribe", resources, options),
    "resources/unsubscribe": route("resources/unsubscribe", resources, options),
  }
}

const TOOLS: ListKind = { method: "tools/list", field: "tools", key: "name" }
const RESOURCES: ListKind = { method: "resources/list", field: "resources", key: "uri" }
const TEMPLATES: ListKind = { method: "resources/templates/list", field: "resourceTemplates", key: "uriTemplate" }

function merge(kind: ListKind, { ours, theirs, pageSize, report }: MethodsOptions): MergedList {
  const list = ours(kind.method)
  const before = theirs.get(kind.method)
  if (before === undefined) return { list, isTheirs: async () => false }
  return mergeLists({ kind, ours: list, theirs: before, pageSize, report })
}

/** What nobody knows goes to theirs, which may answer more than it lists. */
function route(method: Method, { isTheirs }: MergedList, options: MethodsOptions): SdkHandler {
  const ours = options.ours(method)
  const theirs = options.theirs.get(method)
  if (theirs === undefined) return ours
  const key = method === "tools/call" ? "name" : "uri"
  return async (request, extra) => {
    const id = request.params?.[key]
    const known = typeof id === "string" && (await options.knows(key, id, extra)) && !(await isTheirs(id, extra))
    return known ? ours(request, extra) : theirs(request, extra)
  }
}
