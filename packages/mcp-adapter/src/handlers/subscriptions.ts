import type { View } from "../catalogue/view.js"
import { showsResources } from "../exposures/state-mode.js"
import { guardHandlers } from "./guard.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler, Handlers } from "./handlers.js"
import { toResourceNotFound, toUri } from "./resource-not-found.js"

/** The states one legacy connection wants to hear of (resources/subscribe, 2024-11-05 to 2025-11-25). */
export interface Subscriptions {
  /** `resources/subscribe` and `resources/unsubscribe`; empty where there are no resources. */
  readonly handlers: Handlers
  /** Whether the connection is to be told of updates of `uri`. */
  has(uri: string): boolean
  /** Stops everything and adds nothing more; idempotent. */
  close(): void
}

/** A connection's subscriptions, none at first. They survive that a state is hidden, and fire when it is back. */
export function createSubscriptions({ view, states, extension = {}, report }: HandlerOptions): Subscriptions {
  const watched = createWatched(view)
  const { hasResource = () => false } = extension
  const isKnown = (uri: string): boolean => {
    return (showsResources(states) && view.state(uri) !== undefined) || hasResource(uri)
  }
  const handlers = {
    "resources/subscribe": createSubscribe(view, watched, isKnown),
    "resources/unsubscribe": createUnsubscribe(watched),
  }
  return {
    handlers: showsResources(states) || extension.hasResource !== undefined ? guardHandlers(handlers, report) : {},
    has: watched.has,
    close: watched.close,
  }
}

/** Only to what can be read now, so that a client cannot fill our memory. */
function createSubscribe(view: View, watched: Watched, isKnown: (uri: string) => boolean): Handler {
  return async (params, { leg }) => {
    await view.ready
    const uri = toUri(params)
    if (!watched.has(uri) && !isKnown(uri)) throw toResourceNotFound(uri, leg)
    watched.add(uri)
    return {}
  }
}

function createUnsubscribe(watched: Watched): Handler {
  return async (params) => {
    watched.remove(toUri(params))
    return {}
  }
}

type Watched = ReturnType<typeof createWatched>

function createWatched(view: View) {
  const releases = new Map<string, () => void>()
  let closed = false
  const remove = (uri: string): void => {
    releases.get(uri)?.()
    releases.delete(uri)
  }
  return {
    add(uri: string): void {
      if (!closed && !releases.has(uri)) releases.set(uri, view.watch([uri]))
    },
    remove,
    has: (uri: string): boolean => releases.has(uri),
    close(): void {
      closed = true
      for (const uri of [...releases.keys()]) remove(uri)
    },
  }
}
