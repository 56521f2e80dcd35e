import type { Action } from "@x/agentic-service"
import equal from "fast-deep-equal"
import { samePublished, type ToolEntry } from "../catalogue/entry.js"
import type { Way } from "../catalogue/way.js"
import type { Resolution } from "../views/view.js"
import type { ActiveCall } from "./active-call.js"

/** A name that stands for an action which can be called now. */
export type Available = Extract<Resolution, { status: "available" }>

/** What a call would run: the thing, bound when the call's name was first looked up. A name is only how it was found. */
export interface Subject extends Available {
  /** The things on the way to the service, as they were then. */
  readonly way: Way | undefined
  /** The scopes that the action took then. */
  readonly scopes: readonly string[]
  /** Whether it was redefined after the call had been made: the caller meant what it was before. */
  readonly redefined: boolean
}

/** What is known of a call beside its name. */
interface SubjectSite {
  /** The scopes that actions take. */
  readonly scopesOf: ScopesOf | undefined
  /** See {@link Subject.redefined}. */
  readonly redefined: boolean
}

/** Binds a call to what its name stands for now. */
export function toSubject(call: ActiveCall, found: Available, { scopesOf, redefined }: SubjectSite): Subject {
  return { ...found, way: call.view.way(found.entry.path), scopes: scopesOf?.(found.entry) ?? NONE, redefined }
}

/** Returns the scopes that an action takes. */
export type ScopesOf = (entry: ToolEntry) => readonly string[]

const NONE: readonly string[] = Object.freeze([])

/**
 * What stands behind a call's name, beside what the call began with:
 *
 * - `same`: the thing, behind the same gate: what was checked, asked and allowed still holds. Its function may be another.
 * - `redefined`: the thing, behind another gate: scopes, arguments and questions have to be looked at anew.
 * - `changed`: another thing, or an action that changes something in place of one that did not, and that hosts let pass for it;
 *   nothing of the call may run on it.
 * - `unavailable`: nothing that can be called now.
 */
export type Standing =
  | { readonly kind: "same"; readonly found: Available }
  | { readonly kind: "redefined"; readonly found: Available }
  | { readonly kind: "changed" }
  | { readonly kind: "unavailable"; readonly resolution: Exclude<Resolution, Available> }

/** Looks a call's name up once more and compares what it finds with what the call began with. */
export function compareSubject(call: ActiveCall, subject: Subject, scopesOf: ScopesOf | undefined): Standing {
  const found = call.view.resolve(call.subject.name)
  if (found.status !== "available") return { kind: "unavailable", resolution: found }
  if (!isSameThing(call, subject, found.entry) || losesReadOnly(subject.entry, found.entry)) return { kind: "changed" }
  return { kind: isSameGate(subject, found, scopesOf) ? "same" : "redefined", found }
}

/** Whether an entry is of the same member of the same service, reached through the same services. */
function isSameThing(call: ActiveCall, { entry, way }: Subject, now: ToolEntry): boolean {
  if (now === entry) return isSameWay(way, call.view.way(entry.path))
  if (now.thing !== entry.thing || now.key !== entry.key) return false
  // It may have moved with all that is on its way, or be listed under a shorter path while the former leads there still.
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

/** What stands between a caller and the action, beside what is published. Its schema checks the input once more in any case. */
function toGate({ hints, confirm, ask }: Action) {
  return { hints, confirms: confirm !== undefined, asks: ask !== undefined }
}

/** Returns what of an action a person's consent is bound to: its definition, its hints and whether it asks. */
export function toConsentGate({ entry, action }: Available): object {
  const { hints, confirms, asks } = toGate(action)
  // Its name is only how it was found.
  const { name: _name, ...definition } = entry.definition
  return { key: entry.key, definition, hints, confirms, asks }
}
