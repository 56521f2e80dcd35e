import type { AgenticService, Principal } from "@x/agentic-service"
import { newThing } from "@x/agentic-service/adapter"
import type { OptionRule } from "@x/base"
import type { Entry } from "../catalogue/entry.js"
import type { Allow } from "./allow.js"
import { createView, type OwnedView } from "./create-view.js"
import { createLeases } from "./leases.js"
import type { NoticeOptions } from "./notices.js"
import { principalKey } from "./principal-key.js"
import { profileKey, type ServiceProfile } from "./profile.js"
import { createSharedCatalogues, type SharedCatalogues, type SharedCataloguesOptions } from "./shared-catalogues.js"
import type { View } from "./view.js"

/** An adapter's views: a shared one, or one per class of callers. */
export interface Views {
  /** Whether everybody shares one view. */
  readonly shared: boolean
  /** Takes a lease on a principal's view in a profile, created when missing. */
  open(principal: Principal | undefined, profile?: ServiceProfile): ViewLease
  /** Records all current values as known to listeners of changes, so that only later values are reported. */
  noteValues(): void
  /** Closes every view and catalogue. Idempotent. */
  close(): void
}

/** A lease on a view, for one connection, request or call. */
export interface ViewLease {
  /** The view. All leases of one caller class share the object. */
  readonly view: View
  /** Releases the view. Idempotent. */
  release(): void
}

/** Options of views. */
export interface ViewsOptions extends SharedCataloguesOptions {
  /** The shared service, or a function that returns a principal's. */
  readonly source: AgenticService | ((principal: Principal | undefined) => AgenticService)
  /** Hides entries from a principal. */
  readonly allow?: (principal: Principal | undefined, entry: Entry) => boolean
  /** Whether callers can have profiles, so that views differ. */
  readonly profiled: boolean
  /** Timing of notices. */
  readonly notices: NoticeOptions
  /** Limits of principals' views: how many are kept, and for how long. */
  readonly principals: PrincipalLimits
}

/** Limits of principals' views: how many are kept, and for how long. */
export interface PrincipalLimits {
  /** The maximum of views. The least recently used idle one is dropped first. Default 1,000. */
  readonly max: number
  /** Milliseconds that an unused view is kept. Default 300,000. */
  readonly idleMs: number
}

/** Rules for limits of principals. */
export const principalLimitRules: Record<keyof PrincipalLimits, OptionRule> = {
  max: { from: 1, whole: true },
  idleMs: { from: 0 },
}

/** The default limits of principals. */
export const defaultPrincipalLimits: PrincipalLimits = { max: 1_000, idleMs: 300_000 }

/** Creates the shared view immediately, or each principal's on first use. The callers of one profile share a view where none may differ. */
export function createViews(options: ViewsOptions): Views {
  const { source, allow, profiled } = options
  const catalogues = createSharedCatalogues(options)
  const all = newThing()
  // Its changes are reported whether anybody looks or not.
  const shared =
    typeof source === "function" ? undefined : catalogues.open(source, allow === undefined ? { view: all } : {})
  if (shared !== undefined && allow === undefined && !profiled) {
    const view = createView({ ...options, id: all, catalogue: shared.value, knowsAll: true, allow: undefined })
    const close = (): void => closeAll(view, catalogues)
    return { shared: true, open: () => ({ view, release: () => undefined }), noteValues: catalogues.noteValues, close }
  }

  const { host, principals } = options
  const leases = createLeases<OwnedPart>({ ...principals, host, close: closePart })
  const serviceFor = ({ principal, profile }: Part): AgenticService =>
    profile?.service ?? (typeof source === "function" ? source(principal) : source)
  const createPart = (part: Part, key: string): OwnedPart => {
    const { id, principal, profile } = part
    const filter: Allow = allow && ((entry) => allow(principal, entry))
    const isOwn = typeof source === "function" && profile?.service === undefined
    const user = { view: id, ...(isOwn && principal !== undefined && { principal }), ...(filter && { allow: filter }) }
    const isShared = profile === undefined && shared !== undefined
    const { value: catalogue, release: letGo } = isShared
      ? { value: shared.value, release: () => undefined }
      : catalogues.open(serviceFor(part), user, profile)
    const view = createView({ ...options, id, catalogue, knowsAll: isShared, allow: filter })
    return { view: { ...view, keep: (ms) => leases.keep(key, ms) }, letGo }
  }
  /** Of one profile all see the same, unless something is hidden from some of them, or each has a service of its own. */
  const keyOf = (principal: Principal | undefined, profile: ServiceProfile | undefined): string => {
    const isOwn = allow !== undefined || (typeof source === "function" && profile?.service === undefined)
    return JSON.stringify([profileKey(profile), isOwn ? principalKey(principal) : ""])
  }
  return {
    shared: false,
    open(principal, profile) {
      const key = keyOf(principal, profile)
      const isAll = profile === undefined && shared !== undefined && allow === undefined
      const id = isAll ? all : newThing()
      const { value, release } = leases.take(key, () => createPart({ principal, profile, id }, key))
      return { view: value.view, release }
    },
    noteValues: catalogues.noteValues,
    close() {
      leases.close()
      catalogues.close()
    },
  }
}

/** The caller class of a view. */
interface Part {
  readonly principal: Principal | undefined
  readonly profile: ServiceProfile | undefined
  /** The identity of the view. */
  readonly id: string
}

/** A view, and what it looks at. */
interface OwnedPart {
  readonly view: OwnedView
  /** Lets go of the catalogue, which closes when nobody else looks at it. */
  letGo(): void
}

function closePart({ view, letGo }: OwnedPart): void {
  view.close()
  letGo()
}

function closeAll(view: OwnedView, catalogues: SharedCatalogues): void {
  view.close()
  catalogues.close()
}
