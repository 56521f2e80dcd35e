import { catchError, EMPTY, endWith, ignoreElements, merge, type Observable, takeUntil } from "rxjs"
import type { Leg } from "../calls/call-context.js"
import type { Report } from "../runtime/diagnostic.js"
import type { ServiceProfile } from "../views/profile.js"
import type { Handler } from "./handler.js"

/**
 * Features of a server beside its services: prompts, completion, logging, and tools and resources outside any service. All
 * connections share it; each request's call context identifies the caller.
 */
export interface Extension {
  /**
   * Handlers of methods, by name, such as `prompts/list`. An unexpected error becomes an internal error, reported to the
   * operator. For a caller's mistake, throw a `ProtocolError`.
   */
  readonly methods?: Readonly<Record<string, MethodExtension>>
  /**
   * Further capabilities. `methods` implies one for each of its methods, such as `prompts` for `prompts/list`. Capabilities
   * that need notices (`listChanged`, `subscribe`, `logging`) are omitted on connections without them. Announcing `logging`
   * adds `logging/setLevel`.
   */
  readonly capabilities?: (leg: Leg) => ExtensionCapabilities
  /** Checks whether a URI is a resource of the extension, so that clients can subscribe to it. Default: none is. */
  readonly hasResource?: (uri: string, site: ExtensionSite) => boolean
  /**
   * Starts to follow a resource, because a client has subscribed to it. Returns a function that stops, called once the client
   * unsubscribes or disconnects. Default: resources are not followed.
   */
  readonly watchResource?: (uri: string, site: ExtensionSite) => () => void
  /** Notices for every client, sent immediately. An error ends them and is reported to the operator. */
  readonly notices?: Observable<ServerNotice>
  /** Returns what the clients of a site are to be told, in place of `notices`. Default: those. */
  readonly noticesAt?: (site: ExtensionSite) => Observable<ServerNotice>
}

/**
 * Creates a method's handler, once per view, and per exposure when that depends on the client.
 *
 * @param own - Our handler of the method, for requests that the extension does not answer itself. It answers "method not found"
 *   when we have none.
 */
export type MethodExtension = (own: Handler, site: ExtensionSite) => Handler

/** The context of an extension. */
export interface ExtensionSite {
  /** The server's name as it appears in resource URIs. */
  readonly serverName: string
  /** The profile by which callers are shown the service; absent where there is none. */
  readonly profile?: ServiceProfile | undefined
}

/** Capabilities that an extension can announce. Our own (`tools`, and `resources` with states) stay as they are. */
export type ExtensionCapabilities = {
  /** Prompts; `listChanged` needs notices of kind `prompts`. */
  readonly prompts?: {
    /** Whether notices announce changes of the list. */
    readonly listChanged?: boolean
  }
  /** Resources, for servers without states; `subscribe` needs `hasResource`. */
  readonly resources?: {
    /** Whether notices announce changes of the list. */
    readonly listChanged?: boolean
    /** Whether notices announce new values to subscribers. */
    readonly subscribe?: boolean
  }
  /** Argument completion. */
  readonly completions?: CapabilitySettings
  /** Log messages. */
  readonly logging?: CapabilitySettings
  /** Protocol extensions, by identifier (2026-07-28, basic/index). */
  readonly extensions?: { readonly [identifier: string]: CapabilitySettings }
  /** Capabilities outside any protocol revision. */
  readonly experimental?: { readonly [name: string]: CapabilitySettings }
}

/** A capability's settings: plain JSON. Not readonly, because the SDKs' types are not. */
export type CapabilitySettings = {
  /** A setting. */
  [key: string]: SettingsValue
}

/** A setting's value. */
export type SettingsValue = null | boolean | number | string | SettingsValue[] | CapabilitySettings

/** A notice to clients: a changed list or resource. */
export type ServerNotice =
  | {
      /** The changed list. */
      readonly kind: "tools" | "prompts" | "resources"
    }
  | {
      /** A resource has a new value. */
      readonly kind: "updated"
      /** Its URI. */
      readonly uri: string
    }

/** Merges a view's notices with an extension's until the view's end. Failures of the extension end nothing else. */
export function mergeNotices(
  own: Observable<ServerNotice>,
  further: Observable<ServerNotice> | undefined,
  report: Report,
): Observable<ServerNotice> {
  if (further === undefined) return own
  const guarded = further.pipe(
    catchError((cause: unknown) => {
      report({ code: "source_failed", message: "the notices of the extension failed: it can send no more", cause })
      return EMPTY
    }),
  )
  return merge(own, guarded.pipe(takeUntil(own.pipe(ignoreElements(), endWith(undefined)))))
}
