import { type RemoteValue, type ResourceBlock, ServiceError, type State } from "@x/agentic-service"
import { isBytes, toBase64, toJson } from "@x/tool-schemas/json"
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

/** Answers resources/list: the states visible now, sorted by URI. */
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

/** Answers resources/templates/list: one template that covers every state, listed or still to come. */
export function createListResourceTemplates({ serverName, pageSize, shared }: HandlerOptions): Handler {
  const template = {
    uriTemplate: resourceUriTemplate(serverName),
    name: "state",
    description: "A state, by the path of links to its service and its key",
  }
  return async (params, context) => {
    const keyOf = ({ uriTemplate }: typeof template) => uriTemplate
    const { items, ...next } = takePage([template], { keyOf, cursor: params["cursor"], size: pageSize })
    return toCacheable({ resourceTemplates: items, ...next }, context, shared)
  }
}

/** Answers resources/read: the newest value of one state; a hidden state is as unknown as one that never was. */
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

/** What was read elsewhere, under the URIs that it has here. */
function toRemoteContents(parts: readonly ResourceBlock[], toUri: (there: string) => string): readonly object[] {
  return parts.map(({ uri, mimeType, text, blob, meta }) => ({
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

/** The states one legacy connection wants to hear of (resources/subscribe, 2024-11-05 to 2025-11-25). */
export interface Subscriptions {
  /** `resources/subscribe` and `resources/unsubscribe`; empty where there are no resources. */
  readonly handlers: Handlers
  /** Whether the connection is to be told of updates of `uri`. */
  has(uri: string): boolean
  /** Of which URIs it is to be told. */
  all(): readonly string[]
  /** Whether `uri` is one that there could be updates of now: what is hidden, denied or unknown is not. */
  knows(uri: string): boolean
  /** Follows what a client wants to hear of. Returns what ends that; idempotent. */
  watch(uris: readonly string[]): () => void
  /** Stops everything and adds nothing more; idempotent. */
  close(): void
}

/** A connection's subscriptions, none at first. They survive that a state is hidden, and fire when it is back. */
export function createSubscriptions(options: HandlerOptions): Subscriptions {
  const { view, states, extension = {}, host, serverName } = options
  const watch = createWatch(options)
  const watched = createWatched(watch)
  const { hasResource = () => false } = extension
  const isKnown = (uri: string): boolean => {
    return (showsResources(states) && view.state(uri) !== undefined) || hasResource(uri, { serverName })
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
    close: watched.close,
  }
}

/** Only to what can be read now, so that a client cannot fill our memory. */
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

/** Makes what follows states and what an extension has. */
function createWatch({ view, extension, serverName }: HandlerOptions): Subscriptions["watch"] {
  return (uris) => {
    const stops = [view.watch(uris), ...uris.map((uri) => extension?.watchResource?.(uri, { serverName }))]
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

/** -32602 in the modern era, which forbids the -32002 of the legacy one (2026-07-28 and 2025-11-25, server/resources). */
function toResourceNotFound(uri: string, { era }: Leg): ProtocolError {
  return new ProtocolError(era === "modern" ? INVALID_PARAMS : RESOURCE_NOT_FOUND, "resource not found", {
    data: { uri },
  })
}

/** The `uri` of a request. */
function toUri({ uri }: Params): string {
  if (typeof uri === "string") return uri
  throw new ProtocolError(INVALID_PARAMS, 'expected "uri", a string')
}
