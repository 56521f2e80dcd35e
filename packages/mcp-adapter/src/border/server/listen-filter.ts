import { CLIENT_CAPABILITIES_META_KEY } from "@modelcontextprotocol/server"
import { isRecord } from "@x/base"
import { declaresTasks } from "../../calls/client-requests.js"
import type { ServerNotice } from "../../handlers/extension.js"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { toUndeclared } from "../../handlers/tasks.js"
import { nameOf, show } from "./messages.js"
import { type RpcError, toPlace } from "./rpc-error.js"

/** A client's requested notices. */
export interface ListenFilter {
  /** The lists whose changes are requested. */
  readonly kinds: ReadonlySet<ListKind>
  /** The requested resources, in order and without duplicates. */
  readonly uris: ReadonlySet<string>
  /** The requested tasks by id, in order and without duplicates. */
  readonly tasks: ReadonlySet<string>
}

/** A list that can change. */
export type ListKind = Exclude<ServerNotice["kind"], "updated">

/**
 * Reads a listen request's filter, or returns its fault.
 *
 * @param params - The parameters of the request.
 */
export function readFilter(params: unknown): ListenFilter | RpcError {
  const asked: unknown = Reflect.get(Object(params), "notifications")
  if (!isRecord(asked)) return fault(`"params.notifications" is ${nameOf(asked)}: expected an object`)
  const kinds = new Set<ListKind>()
  for (const [field, kind] of FIELDS) {
    const wanted = asked[field] ?? false
    if (typeof wanted !== "boolean") return fault(`"${field}" is ${show(wanted)}: expected a boolean`, field)
    if (wanted) kinds.add(kind)
  }
  const uris = readTexts(asked, URIS, "URIs")
  if ("code" in uris) return uris
  const tasks = readTexts(asked, TASK_IDS, "task ids")
  if ("code" in tasks) return tasks
  if (asked[TASK_IDS] !== undefined && !declares(params)) return toRpcError(toUndeclared())
  return { kinds, uris: uris.texts, tasks: tasks.texts }
}

/** Formats the notices of a filter as a client asks for them. */
export function writeFilter({ kinds, uris, tasks }: ListenFilter): object {
  return {
    ...Object.fromEntries(FIELDS.filter(([, kind]) => kinds.has(kind)).map(([field]) => [field, true])),
    ...(uris.size > 0 && { [URIS]: [...uris] }),
    ...(tasks.size > 0 && { [TASK_IDS]: [...tasks] }),
  }
}

const FIELDS: readonly (readonly [string, ListKind])[] = [
  ["toolsListChanged", "tools"],
  ["promptsListChanged", "prompts"],
  ["resourcesListChanged", "resources"],
]
const URIS = "resourceSubscriptions"
/** The field of the extension for tasks. */
const TASK_IDS = "taskIds"

function readTexts(
  asked: Readonly<Record<string, unknown>>,
  field: string,
  what: string,
): { readonly texts: ReadonlySet<string> } | RpcError {
  const texts = asked[field] ?? []
  if (!Array.isArray(texts)) return fault(`"${field}" is ${show(texts)}: expected an array of ${what}`, field)
  const odd = texts.findIndex((text) => typeof text !== "string")
  if (odd >= 0) return fault(`"${field}" has ${show(texts[odd])}: expected ${what}`, field, odd)
  return { texts: new Set<string>(texts) }
}

/** Whether a request declares that its client takes tasks. */
function declares(params: unknown): boolean {
  const meta: unknown = Reflect.get(Object(params), "_meta")
  return declaresTasks(Object(Reflect.get(Object(meta), CLIENT_CAPABILITIES_META_KEY)))
}

function toRpcError({ code, message, data }: ReturnType<typeof toUndeclared>): RpcError {
  return { code, message, ...(data !== undefined && { data }) }
}

function fault(message: string, ...at: readonly (string | number)[]): RpcError {
  return { code: INVALID_PARAMS, message, ...toPlace(["params", "notifications", ...at]) }
}
