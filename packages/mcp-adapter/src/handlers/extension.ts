import { catchError, EMPTY, endWith, ignoreElements, merge, type Observable, takeUntil } from "rxjs"
import type { Leg } from "../calls/call-context.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Handler } from "./handler.js"

/**
 * What a server offers beside its services: prompts, completion, logging, and tools and resources that are in no service.
 * The same for every connection; who asks is in the call context of each request.
 */
export interface Extension {
  /**
   * The methods it answers, by name, such as `prompts/list`. What a handler throws by mistake is answered as an internal
   * error and told to the operator; a caller's mistake is a thrown `ProtocolError`.
   */
  readonly methods?: Readonly<Record<string, MethodExtension>>
  /**
   * What is announced besides what `methods` implies: a capability for every method of its own, such as `prompts` for
   * `prompts/list`. What cannot arrive on a leg is left out there: `listChanged`, `subscribe` and `logging` where there
   * are no notices. With `logging`, `logging/setLevel` is answered by itself.
   */
  readonly capabilities?: (leg: Leg) => ExtensionCapabilities
  /** Whether a URI is one of its resources, so that a client can subscribe to it. Default: none is. */
  readonly hasResource?: (uri: string, site: ExtensionSite) => boolean
  /**
   * Begins to follow one of its resources, because a client has subscribed to it. Returns what ends that, called once the client has
   * unsubscribed or is gone. Default: nothing has to be followed.
   */
  readonly watchResource?: (uri: string, site: ExtensionSite) => () => void
  /** What every client is to be told, sent as it comes. An error is told to the operator and ends it. */
  readonly notices?: Observable<ServerNotice>
}

/**
 * Makes the handler of a method, once for each view of the adapter, and for each exposure of it where these differ by client.
 *
 * @param own - Our handler of that method, to be called for whatever the extension does not answer itself. Where we have
 * none it answers "method not found".
 */
export type MethodExtension = (own: Handler, site: ExtensionSite) => Handler

/** Where an extension is used. */
export interface ExtensionSite {
  /** The server's name, as it stands in resource URIs. */
  readonly serverName: string
}

/** What an extension can announce; ours (`tools`, and `resources` where states are) stay as they are. */
export type ExtensionCapabilities = {
  /** Prompts; `listChanged` needs notices of kind `prompts`. */
  readonly prompts?: {
    /** Whether notices tell of changes of the list. */
    readonly listChanged?: boolean
  }
  /** Resources, where states are none; `subscribe` needs `hasResource`. */
  readonly resources?: {
    /** Whether notices tell of changes of the list. */
    readonly listChanged?: boolean
    /** Whether notices tell of new values to who asks. */
    readonly subscribe?: boolean
  }
  /** Argument completion. */
  readonly completions?: CapabilitySettings
  /** Log messages. */
  readonly logging?: CapabilitySettings
  /** Extensions of the protocol, by their identifier (2026-07-28, basic/index). */
  readonly extensions?: { readonly [identifier: string]: CapabilitySettings }
  /** What no revision has. */
  readonly experimental?: { readonly [name: string]: CapabilitySettings }
}

/** What goes with a capability: plain JSON. Not readonly, because the SDKs' types are not. */
export type CapabilitySettings = {
  /** A setting. */
  [key: string]: SettingsValue
}

/** What a setting can be. */
export type SettingsValue = null | boolean | number | string | SettingsValue[] | CapabilitySettings

/** Something clients are to be told: a list that has changed, or a resource. */
export type ServerNotice =
  | {
      /** Which list has changed. */
      readonly kind: "tools" | "prompts" | "resources"
    }
  | {
      /** A resource has another value. */
      readonly kind: "updated"
      /** Which one. */
      readonly uri: string
    }

/** A view's notices and an extension's, for as long as the view's last: what comes of an extension ends nothing else. */
export function mergeNotices(
  own: Observable<ServerNotice>,
  further: Observable<ServerNotice> | undefined,
  report: Report,
): Observable<ServerNotice> {
  if (further === undefined) return own
  const guarded = further.pipe(
    catchError((cause: unknown) => {
      report({ code: "source_failed", message: "the notices of the extension failed: no more of them are sent", cause })
      return EMPTY
    }),
  )
  return merge(own, guarded.pipe(takeUntil(own.pipe(ignoreElements(), endWith(undefined)))))
}
