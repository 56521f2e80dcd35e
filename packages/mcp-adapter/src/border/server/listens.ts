import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server"
import { isRecord } from "@x/tool-schemas/json"
import type { Subscription } from "rxjs"
import type { CallContext, Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import { INVALID_PARAMS } from "../../handlers/handler.js"
import { once, subscribeIn } from "../../runtime/host.js"
import type { View } from "../../views/view.js"
import { toNotification } from "./deliver-notices.js"
import { nameOf, show } from "./messages.js"
import { type RpcError, toPlace } from "./rpc-error.js"

/** Who wants to hear what, from one `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions). */
export interface Listener {
  /** The request's id, which every message carries. */
  readonly id: string | number
  /** What it wants to hear; see {@link readFilter}. */
  readonly filter: ListenFilter
  /** Who listens, for those who look at who is there. */
  readonly caller: Omit<Caller, "leg"> & Pick<CallContext, "info">
  /** Sends a message. */
  send(json: string): void
  /**
   * Sends the last message, which answers the request: there is nothing more to hear. Not where the client has ended it.
   */
  end(json: string): void
}

/** What a client wants to hear of. */
export interface ListenFilter {
  /** The lists whose changes it wants to hear of. */
  readonly kinds: ReadonlySet<ListKind>
  /** The resources, each once, in the order they were named. */
  readonly uris: ReadonlySet<string>
}

/** A list that can change. */
type ListKind = Exclude<ServerNotice["kind"], "updated">

/** The listen streams of one server. */
export interface Listens {
  /**
   * Acknowledges what is honoured, and sends it as it comes: of resources, those that the caller may know of. Where nothing is,
   * there is nothing to wait for, and it ends at once. Resolves when that is done.
   */
  open(connection: Connection, leg: Leg, listener: Listener): Promise<Listening>
  /** Ends all of them with their last message, and those that come later at once. */
  close(): void
}

/** One open listen stream. */
export interface Listening {
  /** Ends it with its last message; idempotent. */
  end(): void
  /** Ends it without a word, because the client did, or is gone; idempotent. */
  leave(): void
}

/**
 * Reads what a listen wants, in our words where it is wrong.
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
  const uris = asked[URIS] ?? []
  if (!Array.isArray(uris)) return fault(`"${URIS}" is ${show(uris)}: expected an array of URIs`, URIS)
  const odd = uris.findIndex((uri) => typeof uri !== "string")
  if (odd >= 0) return fault(`"${URIS}" has ${show(uris[odd])}: expected URIs`, URIS, odd)
  return { kinds, uris: new Set<string>(uris) }
}

const FIELDS: readonly (readonly [string, ListKind])[] = [
  ["toolsListChanged", "tools"],
  ["promptsListChanged", "prompts"],
  ["resourcesListChanged", "resources"],
]
const URIS = "resourceSubscriptions"

function fault(message: string, ...at: readonly (string | number)[]): RpcError {
  return { code: INVALID_PARAMS, message, ...toPlace(["params", "notifications", ...at]) }
}

/** Nobody listens yet. Each view is subscribed to once, however many listen to it, while somebody does. */
export function createListens(endpoint: Endpoint): Listens {
  const audiences = new Map<View, Audience>()
  const open = new Set<Listening>()
  let closed = false
  const audienceOf = (view: View): Audience => {
    const found = audiences.get(view)
    if (found !== undefined) return found
    const audience = createAudience(endpoint, view, () => audiences.delete(view))
    audiences.set(view, audience)
    return audience
  }
  return {
    async open(connection, leg, listener) {
      const { view } = connection
      await view.ready()
      const honoured = honour(endpoint, connection, { leg, filter: listener.filter })
      listener.send(toAcknowledged(listener.id, honoured))
      const unwatch = connection.subscriptions().watch([...honoured.uris])
      const hears = { kinds: [...honoured.kinds], uris: [...honoured.uris] }
      const unlisten = endpoint.host.ledger.listen({ view: view.id, ...listener.caller, leg, hears: () => hears })
      let remove = (): void => {}
      const leave = once(() => {
        open.delete(listening)
        remove()
        unwatch()
        unlisten()
      })
      const listening: Listening = {
        leave,
        end: once(() => {
          if (!open.has(listening)) return
          leave()
          listener.end(toLast(listener.id, endpoint))
        }),
      }
      open.add(listening)
      if (closed || (honoured.kinds.size === 0 && honoured.uris.size === 0)) listening.end()
      else remove = audienceOf(view).add({ ...listener, filter: honoured, end: listening.end })
      // A view that is gone ends it at once.
      if (!open.has(listening)) remove()
      return listening
    },
    close() {
      closed = true
      for (const listening of [...open]) listening.end()
    },
  }
}

/** What can be delivered of what is wanted: nothing that is not announced, and no resource that nobody knows. */
function honour(
  endpoint: Endpoint,
  { subscriptions }: Connection,
  { leg, filter }: { readonly leg: Leg; readonly filter: ListenFilter },
): ListenFilter {
  const capabilities = endpoint.capabilities(leg)
  const kinds = [...filter.kinds].filter((kind) => capabilities[kind]?.listChanged === true)
  const uris = capabilities.resources?.subscribe === true ? [...filter.uris].filter(subscriptions().knows) : []
  return { kinds: new Set(kinds), uris: new Set(uris) }
}

function toAcknowledged(id: string | number, { kinds, uris }: ListenFilter): string {
  const notifications = {
    ...Object.fromEntries(FIELDS.filter(([, kind]) => kinds.has(kind)).map(([field]) => [field, true])),
    ...(uris.size > 0 && { [URIS]: [...uris] }),
  }
  const params = { notifications, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } }
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params })
}

/** The result that ends a listen (2026-07-28, basic/patterns/subscriptions, graceful closure). */
function toLast(id: string | number, { info }: Endpoint): string {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: info }
  return JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } })
}

/** One who hears a view. */
interface Hearer extends Pick<Listener, "id" | "send" | "filter"> {
  /** Ends what it hears. */
  end(): void
}

/** All who hear one view. */
interface Audience {
  /** @returns Takes it away again. */
  add(hearer: Hearer): () => void
}

/** A notice is put into words once, and gets each hearer's id. */
function createAudience(endpoint: Endpoint, view: View, empty: () => void): Audience {
  const hearers = new Set<Hearer>()
  const byUri = new Map<string, Set<Hearer>>()
  let subscription: Subscription | undefined
  const tell = (notice: ServerNotice): void => {
    const told = notice.kind === "updated" ? byUri.get(notice.uri) : hearers
    if (told === undefined) return
    const [before, after] = toParts(notice)
    for (const hearer of [...told]) {
      if (notice.kind === "updated" || hearer.filter.kinds.has(notice.kind)) {
        hearer.send(before + JSON.stringify(hearer.id) + after)
      }
    }
  }
  const remove = (hearer: Hearer): void => {
    hearers.delete(hearer)
    for (const uri of hearer.filter.uris) {
      const told = byUri.get(uri)
      told?.delete(hearer)
      if (told?.size === 0) byUri.delete(uri)
    }
    if (hearers.size > 0) return
    subscription?.unsubscribe()
    empty()
  }
  return {
    add(hearer) {
      hearers.add(hearer)
      for (const uri of hearer.filter.uris) {
        const told = byUri.get(uri) ?? new Set()
        byUri.set(uri, told)
        told.add(hearer)
      }
      subscription ??= subscribeIn(endpoint.host.ledger, endpoint.notices(view), {
        next: tell,
        complete() {
          for (const each of [...hearers]) each.end()
        },
      })
      return () => remove(hearer)
    },
  }
}

/** What stands before and after a hearer's id. */
function toParts(notice: ServerNotice): readonly [string, string] {
  const { method, params } = toNotification(notice)
  const mark = "\0"
  const message = { jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: mark } } }
  const [before = "", after = ""] = JSON.stringify(message).split(JSON.stringify(mark))
  return [before, after]
}
