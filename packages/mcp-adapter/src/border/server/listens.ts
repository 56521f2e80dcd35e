import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from "@modelcontextprotocol/server"
import type { Subscription } from "rxjs"
import type { CallContext, Leg } from "../../calls/call-context.js"
import type { Caller, Connection, Endpoint } from "../../endpoint.js"
import type { ServerNotice } from "../../handlers/extension.js"
import { once, subscribeIn } from "../../runtime/host.js"
import type { View } from "../../views/view.js"
import { toNotification } from "./deliver-notices.js"
import { type ListenFilter, writeFilter } from "./listen-filter.js"
import { listenToTasks } from "./listen-tasks.js"

/** The listener of one `subscriptions/listen` request (2026-07-28, basic/patterns/subscriptions). */
export interface Listener {
  /** The request's id, which every message carries. */
  readonly id: string | number
  /** The requested notices; see {@link readFilter}. */
  readonly filter: ListenFilter
  /** The subscribing client, as the ledger and the live view report it. */
  readonly caller: Omit<Caller, "leg"> & Pick<CallContext, "info">
  /** Sends a message. */
  send(json: string): void
  /** Sends the final message, which answers the request. Not called if the client has ended the stream. */
  end(json: string): void
}

/** The listen streams of one server. */
export interface Listens {
  /**
   * Acknowledges the notices that can be sent, then sends them as they come; of resources, only those that the caller may know.
   * If none can be sent, the stream ends at once. Resolves after the acknowledgement.
   */
  open(connection: Connection, leg: Leg, listener: Listener): Promise<Listening>
  /** Ends all streams with their final message, and later ones at once. */
  close(): void
}

/** One open listen stream. */
export interface Listening {
  /** Ends the stream with its final message; idempotent. */
  end(): void
  /** Ends the stream without a message, because the client cancelled it or is gone; idempotent. */
  leave(): void
}

/** Creates the listen streams of one server. It subscribes to each view once, while at least one stream listens to it. */
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
      const tasks = await listenToTasks(endpoint, listener)
      const { filter } = listener
      const honoured = { ...honour(endpoint, connection, { leg, filter }), tasks: new Set(tasks.ids) }
      listener.send(toAcknowledged(listener.id, honoured))
      const unwatch = connection.subscriptions().watch([...honoured.uris])
      const hears = { kinds: [...honoured.kinds], uris: [...honoured.uris] }
      // The listened view has been replaced: the client has to listen again.
      const unfollow = connection.replaced?.subscribe(() => listening.end())
      const unlisten = endpoint.host.ledger.listen({ view: view.id, ...listener.caller, leg, hears: () => hears })
      let remove = (): void => {}
      let unfollowTasks = (): void => {}
      const leave = once(() => {
        open.delete(listening)
        remove()
        unfollowTasks()
        unwatch()
        unlisten()
        unfollow?.unsubscribe()
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
      const silent = honoured.kinds.size + honoured.uris.size + honoured.tasks.size === 0
      if (closed || silent) listening.end()
      else {
        remove = audienceOf(view).add({ ...listener, filter: honoured, end: listening.end })
        unfollowTasks = tasks.begin()
      }
      // A closed view ends the stream at once.
      if (!open.has(listening)) {
        remove()
        unfollowTasks()
      }
      return listening
    },
    close() {
      closed = true
      for (const listening of [...open]) listening.end()
    },
  }
}

/** Returns the part of a filter that can be delivered: announced lists, and resources known to the caller. */
function honour(
  endpoint: Endpoint,
  { subscriptions }: Connection,
  { leg, filter }: { readonly leg: Leg; readonly filter: ListenFilter },
): Omit<ListenFilter, "tasks"> {
  const capabilities = endpoint.capabilities(leg)
  const kinds = [...filter.kinds].filter((kind) => capabilities[kind]?.listChanged === true)
  const uris = capabilities.resources?.subscribe === true ? [...filter.uris].filter(subscriptions().knows) : []
  return { kinds: new Set(kinds), uris: new Set(uris) }
}

function toAcknowledged(id: string | number, honoured: ListenFilter): string {
  const params = { notifications: writeFilter(honoured), _meta: { [SUBSCRIPTION_ID_META_KEY]: id } }
  return JSON.stringify({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params })
}

/** Formats the result that ends a listen request (2026-07-28, basic/patterns/subscriptions, graceful closure). */
function toLast(id: string | number, { info }: Endpoint): string {
  const _meta = { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: info }
  return JSON.stringify({ jsonrpc: "2.0", id, result: { resultType: "complete", _meta } })
}

/** A listener of one view. */
interface Hearer extends Pick<Listener, "id" | "send" | "filter"> {
  /** Ends its stream. */
  end(): void
}

/** All listeners of one view. */
interface Audience {
  /** @returns Removes the listener. */
  add(hearer: Hearer): () => void
}

/** Creates the audience of a view. A notice is formatted once, then completed with each listener's id. */
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

/** Returns the text before and after the listener's id. */
function toParts(notice: ServerNotice): readonly [string, string] {
  const { method, params } = toNotification(notice)
  const mark = "\0"
  const message = { jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION_ID_META_KEY]: mark } } }
  const [before = "", after = ""] = JSON.stringify(message).split(JSON.stringify(mark))
  return [before, after]
}
