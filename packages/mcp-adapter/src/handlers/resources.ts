import { type RemoteValue, type ResourceBlock, ServiceError, type State } from "@x/agentic-service"
import { isBytes, toBase64, toJson } from "@x/base"
import { type CallContext, type Leg, toClientKey } from "../calls/call-context.js"
import type { StateEntry } from "../catalogue/entry.js"
import { isJsonType } from "../exposures/built-in.js"
import { showsResources } from "../exposures/state-mode.js"
import { resourceUriTemplate, toPlacedUri } from "../names/resource-uri.js"
import type { View } from "../views/view.js"
import {
  guardHandlers,
  type Handler,
  type Handlers,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Params,
  ProtocolError,
  RESOURCE_NOT_FOUND,
} from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { takePage, toCacheable } from "./page.js"

/** Answers resources/list: the visible states, sorted by URI. */
export function createListResources({ view, pageSize, shared }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready()
    const { states } = view.snapshot()
    const { items, ...next } = takePage(states, {
      keyOf: (state) => state.uri,
      cursor: params["cursor"],
      size: pageSize,
    })
    return toCacheable({ resources: items.map((state) => state.definition), ...next }, context, shared)
  }
}

/** Answers resources/templates/list: one template that covers every present and future state. */
export function createListResourceTemplates({ serverName, pageSize, shared }: HandlerOptions): Handler {
  const template = {
    uriTemplate: resourceUriTemplate(serverName),
    name: "state",
    description: "A state, addressed by its service's path of links and its own key",
  }
  return async (params, context) => {
    const keyOf = ({ uriTemplate }: typeof template) => uriTemplate
    const { items, ...next } = takePage([template], { keyOf, cursor: params["cursor"], size: pageSize })
    return toCacheable({ resourceTemplates: items, ...next }, context, shared)
  }
}

/** Answers resources/read: a state's newest value. Hidden states count as unknown. */
export function createReadResource({ view, calls, shared, serverName }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready()
    const uri = toUri(params)
    const entry = view.state(uri)
    const state = entry?.current()
    if (entry === undefined || state === undefined) throw toResourceNotFound(uri, context.leg)
    view.noteRead(entry, undefined, toClientKey(context))
    calls.acquaintance.saw(view, context, entry.path)
    const contents = state.remote
      ? toRemoteContents(await readRemote(state.remote, { context, thing: entry.thing }), (there) =>
          there === state.uri ? uri : toPlacedUri(serverName, entry.path, there),
        )
      : [{ uri, ...toContents(state, entry) }]
    return toCacheable({ contents }, context, shared)
  }
}

function readRemote(
  remote: RemoteValue,
  { context, thing }: { readonly context: CallContext; readonly thing: string },
): Promise<readonly ResourceBlock[]> {
  return remote.read({ ...context, thing }).catch((cause: unknown) => {
    throw cause instanceof ServiceError ? new ProtocolError(INTERNAL_ERROR, cause.message, { cause }) : cause
  })
}

/** Converts contents of a remote resource to local URIs. */
function toRemoteContents(parts: readonly ResourceBlock[], toUri: (there: string) => string): readonly object[] {
  return parts.map(({ uri, mimeType, text, blob, meta, further }) => ({
    ...further,
    uri: toUri(uri),
    ...(mimeType !== undefined && { mimeType }),
    ...(blob === undefined ? { text: text ?? "" } : { blob: isBytes(blob) ? toBase64(blob) : blob }),
    ...(meta !== undefined && { _meta: meta }),
  }))
}

type Contents = { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })

function toContents({ value, mediaType }: State, { definition }: StateEntry): Contents {
  const { mimeType } = definition
  if (isBytes(value)) return { mimeType: mediaType ?? "application/octet-stream", blob: toBase64(value) }
  if (typeof value === "string" && !isJsonType(mimeType)) return { mimeType, text: value }
  return { mimeType: isJsonType(mimeType) ? mimeType : "application/json", text: JSON.stringify(toJson(value)) }
}

/** Resource subscriptions of one legacy connection (resources/subscribe, 2024-11-05 to 2025-11-25). */
export interface Subscriptions {
  /** Handlers of `resources/subscribe` and `resources/unsubscribe`; empty without resources. */
  readonly handlers: Handlers
  /** Whether the connection is subscribed to a URI. */
  has(uri: string): boolean
  /** Returns all subscribed URIs. */
  all(): readonly string[]
  /** Whether a URI can have updates now. False for hidden, denied and unknown states. */
  knows(uri: string): boolean
  /** Follows some URIs. Returns a function that stops; idempotent. */
  watch(uris: readonly string[]): () => void
  /** Resumes subscriptions of another view, as far as this view knows the resources. */
  resume(uris: readonly string[]): void
  /** Ends all subscriptions and accepts no more. Idempotent. */
  close(): void
}

/** Creates a connection's subscriptions. A subscription to a hidden state stays, and notifies when the state returns. */
export function createSubscriptions(options: HandlerOptions): Subscriptions {
  const { view, states, extension = {}, host, serverName, profile } = options
  const watch = createWatch(options)
  const watched = createWatched(watch)
  const { hasResource = () => false } = extension
  const isKnown = (uri: string): boolean => {
    return (showsResources(states) && view.state(uri) !== undefined) || hasResource(uri, { serverName, profile })
  }
  const handlers = {
    "resources/subscribe": createSubscribe(view, watched, isKnown),
    "resources/unsubscribe": createUnsubscribe(watched),
  }
  return {
    handlers: showsResources(states) || extension.hasResource !== undefined ? guardHandlers(handlers, host.report) : {},
    has: watched.has,
    all: watched.all,
    knows: isKnown,
    watch,
    resume(uris) {
      for (const uri of uris) if (isKnown(uri)) watched.add(uri)
    },
    close: watched.close,
  }
}

/** Creates a handler that accepts only readable URIs, so that the number of subscriptions is bounded. */
function createSubscribe(view: View, watched: Watched, isKnown: (uri: string) => boolean): Handler {
  return async (params, { leg }) => {
    await view.ready()
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

/** Creates a function that follows states and an extension's resources. */
function createWatch({ view, extension, serverName, profile }: HandlerOptions): Subscriptions["watch"] {
  return (uris) => {
    const stops = [view.watch(uris), ...uris.map((uri) => extension?.watchResource?.(uri, { serverName, profile }))]
    return () => {
      for (const stop of stops.splice(0)) stop?.()
    }
  }
}

type Watched = ReturnType<typeof createWatched>

function createWatched(watch: Subscriptions["watch"]) {
  const releases = new Map<string, () => void>()
  let closed = false
  const remove = (uri: string): void => {
    releases.get(uri)?.()
    releases.delete(uri)
  }
  return {
    add(uri: string): void {
      if (!closed && !releases.has(uri)) releases.set(uri, watch([uri]))
    },
    remove,
    has: (uri: string): boolean => releases.has(uri),
    all: (): readonly string[] => [...releases.keys()],
    close(): void {
      closed = true
      for (const uri of [...releases.keys()]) remove(uri)
    },
  }
}

/**
 * Returns the error of an unknown resource: -32602 in the modern era, which forbids the legacy era's -32002 (2026-07-28 and
 * 2025-11-25, server/resources).
 */
function toResourceNotFound(uri: string, { era }: Leg): ProtocolError {
  return new ProtocolError(era === "modern" ? INVALID_PARAMS : RESOURCE_NOT_FOUND, "resource not found", {
    data: { uri },
  })
}

/** Returns a request's `uri`. */
function toUri({ uri }: Params): string {
  if (typeof uri === "string") return uri
  throw new ProtocolError(INVALID_PARAMS, 'expected "uri", a string')
}
