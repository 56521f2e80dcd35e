import type { Action, Principal } from "@x/agentic-service"
import equal from "fast-deep-equal"
import { samePublished, type ToolEntry } from "../catalogue/entry.js"
import type { Way } from "../catalogue/way.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall } from "./active-call.js"

/** The resolution of a name whose action can be called now. */
export type Available = Extract<Resolution, { status: "available" }>

/** A call's target, bound at the first lookup of its name. Later lookups are compared with it. */
export interface Subject extends Available {
  /** Service instances on the action's path, at that time. */
  readonly way: Way | undefined
  /** Scopes that the action required at that time. */
  readonly scopes: readonly string[]
  /** Whether the action was redefined after the call was made: the caller meant the former definition. */
  readonly redefined: boolean
}

/** Context for binding a call to its target. */
interface SubjectSite {
  /** Returns the scopes that an action requires. */
  readonly scopesOf: ScopesOf | undefined
  /** See {@link Subject.redefined}. */
  readonly redefined: boolean
}

/** Binds a call to the action that its name stands for now. */
export function toSubject(call: ActiveCall, found: Available, { scopesOf, redefined }: SubjectSite): Subject {
  return { way: call.view.way(found.entry.path), scopes: scopesOf?.(found.entry) ?? NONE, redefined, ...found }
}

/** Returns the scopes that an action requires. */
export type ScopesOf = (entry: ToolEntry) => readonly string[]

const NONE: readonly string[] = Object.freeze([])

/** Returns the scopes that a caller does not hold. */
export function findLacking(scopes: readonly string[], principal: Principal | undefined): readonly string[] {
  return scopes.filter((scope) => principal?.scopes?.includes(scope) !== true)
}

/**
 * Possible results of comparing a name's current action with the call's target:
 *
 * - `same`: the same instance with the same gate. Checks, answers and permissions still hold. Its function may have changed.
 * - `redefined`: the same instance with another gate. Scopes, arguments and questions must be checked again.
 * - `changed`: another instance, or a changing action in place of a read-only one, which hosts may have let pass unasked. The
 *   call must not run.
 * - `unavailable`: no action that can be called now.
 */
export type Standing =
  | { readonly kind: "same"; readonly found: Available }
  | { readonly kind: "redefined"; readonly found: Available }
  | { readonly kind: "changed" }
  | { readonly kind: "unavailable"; readonly resolution: Exclude<Resolution, Available> }

/** Looks up a call's name again and compares the result with the action that the call began with. */
export function compareSubject(call: ActiveCall, subject: Subject, scopesOf: ScopesOf | undefined): Standing {
  const found = call.view.resolve(call.subject.name)
  if (found.status !== "available") return { kind: "unavailable", resolution: found }
  if (!isSameThing(call, subject, found.entry) || losesReadOnly(subject.entry, found.entry)) return { kind: "changed" }
  return { kind: isSameGate(subject, found, scopesOf) ? "same" : "redefined", found }
}

/** Checks whether an entry is the same member of the same service instance, reached through the same instances. */
function isSameThing(call: ActiveCall, { entry, way }: Subject, now: ToolEntry): boolean {
  if (now === entry) return isSameWay(way, call.view.way(entry.path))
  if (now.thing !== entry.thing || now.key !== entry.key) return false
  // The service may have moved with its whole path, or be listed under a shorter path while the former one still leads there.
  const former = call.view.way(entry.path)
  return former === undefined || isSameWay(way, former) || isSameWay(way, call.view.way(now.path))
}

function losesReadOnly(before: ToolEntry, now: ToolEntry): boolean {
  return before.definition.annotations.readOnlyHint === true && now.definition.annotations.readOnlyHint !== true
}

function isSameWay(before: Way | undefined, now: Way | undefined): boolean {
  return before === now || (before !== undefined && now !== undefined && equal(before.things, now.things))
}

function isSameGate({ entry, action, scopes }: Subject, now: Available, scopesOf: ScopesOf | undefined): boolean {
  if (now.entry === entry && now.action === action) return true
  return (
    samePublished(now.entry, entry) &&
    equal(toGate(action), toGate(now.action)) &&
    equal(scopesOf?.(now.entry) ?? NONE, scopes)
  )
}

/**
 * Returns the checks between a caller and the action beyond its published definition. The input is checked again in any case.
 */
function toGate({ hints, confirm, ask }: Action) {
  return { hints, confirms: confirm !== undefined, asks: ask !== undefined }
}

/** Returns the parts of an action that a person's consent is bound to: its definition, its hints and whether it asks. */
export function toConsentGate({ entry, action }: Available): object {
  const { hints, confirms, asks } = toGate(action)
  // Consent excludes the name, which only serves to find the action.
  const { name: _name, ...definition } = entry.definition
  return { key: entry.key, definition, hints, confirms, asks }
}
