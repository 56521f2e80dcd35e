import type { Principal } from "@x/agentic-service"
import { AdapterError } from "./adapter-error.js"
import type { ClientInfo } from "./calls/call-context.js"
import type { Calls } from "./calls/create-calls.js"
import type { Path } from "./names/path.js"
import type { Profiles, ViewProfile } from "./profiles.js"
import type { Host } from "./runtime/host.js"
import type { ViewLease, Views } from "./views/create-views.js"
import type { LinkedViews } from "./views/linked-views.js"

/** The interface for authors of bindings. */
export interface AdapterCore {
  /** Whether every principal sees the same service. */
  readonly shared: boolean
  /** The profiles of callers. Absent if there are none. */
  readonly profiles?: Profiles
  /**
   * Takes a lease on a principal's view, as the caller's profile shows it. Throws {@link AdapterError} `closed` if the adapter is
   * closed.
   *
   * @param client - The client, as it describes itself. Default: unknown.
   */
  open(principal: Principal | undefined, client?: ClientInfo): ProfiledLease
  /**
   * Takes a lease on a view of one linked service, with plain names, by any path of links to it. Returns `undefined` if the
   * principal can see no service there. If the path later leads nowhere or to another service, the view's notices complete,
   * after the calls in the view are answered.
   */
  linked(path: Path, principal: Principal | undefined, client?: ClientInfo): ProfiledLease | undefined
  /** Reserves the names of an endpoint's own tools permanently. An action that is listed under such a name gets another one. */
  reserve(names: Iterable<string>): void
  /** Reserves the names of an endpoint's own tools for long actions permanently, once an action is long. */
  reserveForLong(names: Iterable<string>): void
  /** Whether a name is reserved. */
  isReserved(name: string): boolean
  /** The call path that every call takes. */
  readonly calls: Pick<
    Calls,
    "call" | "callOwn" | "acquaintance" | "caughtUp" | "around" | "confirmsByToken" | "lacks" | "tasks"
  >
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** A lease on a view as a profile shows it. */
export interface ProfiledLease extends ViewLease {
  /** The profile. Absent if there is none. */
  readonly profile?: ViewProfile | undefined
}

/** Assembles the interface for bindings. */
export function createAdapterCore(
  views: Views,
  linked: LinkedViews,
  {
    closed,
    ...parts
  }: Pick<AdapterCore, "calls" | "host" | "reserve" | "reserveForLong" | "isReserved" | "profiles"> & {
    closed(): boolean
  },
): AdapterCore {
  const profileOf = (principal: Principal | undefined, client: ClientInfo | undefined): ViewProfile | undefined =>
    parts.profiles?.choose({ ...(principal && { principal }), ...(client && { client }) })
  return {
    shared: views.shared,
    open(principal, client) {
      if (closed())
        throw new AdapterError("the adapter is closed: close it last, after the servers that use it", {
          code: "closed",
        })
      const profile = profileOf(principal, client)
      return { profile, ...views.open(principal, profile) }
    },
    linked(path, principal, client) {
      const profile = profileOf(principal, client)
      const lease = linked.open(path, principal, profile)
      return lease && { profile, ...lease }
    },
    ...parts,
  }
}
