import { createAgenticService, type Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import type { Observable } from "rxjs"
import type { ClientInfo } from "./calls/call-context.js"
import type { ExposureName } from "./exposures/exposure.js"
import { toSureChoice } from "./runtime/callback.js"
import type { Host } from "./runtime/host.js"
import type { ServiceProfile } from "./views/profile.js"

/** A way to show a service to some callers. Immutable: a changed profile is a new object. */
export interface ViewProfile extends ServiceProfile {
  /** The exposure of tools. Default: the endpoint's. */
  readonly exposure?: ExposureName
}

/** The caller that a profile is chosen for. */
export interface ProfileCaller {
  /** The principal; absent if the caller is anonymous. */
  readonly principal?: Principal
  /** The client's name and version: a claim, never a proof. Absent if the client has not introduced itself. */
  readonly client?: ClientInfo
}

/**
 * The profiles of an adapter. The revision 2026-07-28 asks servers not to depend on a client's name and version; a rule that uses
 * them is the operator's decision.
 */
export interface Profiles {
  /**
   * Returns a caller's profile: the same object until the profile changes, or `undefined` for the adapter's own service. Called for
   * each request. If it throws, the caller sees nothing.
   */
  choose(caller: ProfileCaller): ViewProfile | undefined
  /** Emits when `choose` may return other profiles than before. Default: it never does. */
  readonly changes?: Observable<unknown>
}

/** The rules of the option `profiles`. */
export const profileRules: Record<keyof Profiles, OptionRule> = { choose: "function", changes: "object" }

/** Makes profiles whose choice is certain: a caller for whom it fails is shown nothing. */
export function toSureProfiles(profiles: Profiles, name: string, { report }: Host): Profiles {
  const otherwise: ViewProfile = { service: createAgenticService({ name }) }
  const choose = (caller: ProfileCaller): ViewProfile | undefined => profiles.choose(caller)
  return { ...profiles, choose: toSureChoice("profiles.choose", choose, { otherwise, report }) }
}
