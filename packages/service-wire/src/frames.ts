import { isRecord, type JsonValue, parseJson } from "@x/base"
import type { WireLimits } from "./limits.js"

// The frames of the wire: one JSON object each. Names are short because diffs are frequent. Maps are lists of pairs, so that a
// key such as `__proto__` needs no special case.

/** The version of the wire protocol. Sides of different versions disconnect at once with the code `version`. */
export const WIRE_VERSION = 1

/** The first frame of either side. */
export interface HelloFrame {
  /** Discriminates the frames. */
  readonly t: "hello"
  /** The protocol version of the sender; see {@link WIRE_VERSION}. */
  readonly wire: number
  /** The sender's role: it offers a service, or mirrors one. */
  readonly role: "offer" | "mirror"
  /** The limits that the mirror accepts. */
  readonly limits?: WireLimits
  /** Whether the sender sends and compares the identities of services. Older releases do neither. */
  readonly things?: true
  /** Identifies the process, or the page load, that offers. */
  readonly load?: string
}

/** The last frame of a side that leaves. */
export interface ByeFrame {
  /** Discriminates the frames. */
  readonly t: "bye"
  /** The reason for leaving. */
  readonly reason: string
  /** The kind of end; see `WireClosed`. */
  readonly code: string
}

/** A frame that the offering side sends. */
export type OfferFrame =
  | HelloFrame
  | ByeFrame
  | {
      /** Changes since the previous diff. The first diffs, up to the one with `live`, form a snapshot. */
      readonly t: "diff"
      readonly n: number
      /** New services and services with changed members, each before any link to it. */
      readonly s: readonly ServiceDiff[]
      /** Services that no link reaches any more. */
      readonly gone?: readonly number[]
      /** Failures in the application: kind of member, its key, message. */
      readonly failures?: readonly (readonly [kind: string, key: string, message: string])[]
      /** Marks the snapshot as complete. */
      readonly live?: true
    }
  | { readonly t: "progress"; readonly id: number; readonly p: WireProgress }
  | { readonly t: "result"; readonly id: number; readonly r: JsonValue }
  | { readonly t: "beat" }

/** A frame that the mirroring side sends. */
export type MirrorFrame =
  | HelloFrame
  | ByeFrame
  /** Acknowledges all diffs up to this one and asks for the next. A slow reader costs one value. */
  | { readonly t: "ack"; readonly n: number }
  /** Asks for one more progress report. */
  | { readonly t: "more"; readonly id: number }
  | { readonly t: "cancel"; readonly id: number }
  /** Starts or stops watching a state whose value is held elsewhere. */
  | { readonly t: "watch"; readonly s: number; readonly k: string; readonly on: boolean; readonly of?: string }
  | { readonly t: "beat"; readonly at: number }
  | RequestFrame

/** A frame that expects one result. */
export type RequestFrame = RequestHead & (CallRequest | CheckRequest | ResumeRequest | ReadRequest)

/** The fields that every request has. */
export interface RequestHead {
  /** The number of the request. */
  readonly id: number
  /** When it was sent, in milliseconds of the sender's clock, which may differ from the receiver's. */
  readonly at: number
  /** How long after `at` it may still be started, in milliseconds. After that its caller has given up. */
  readonly ttl: number
  /** The caller, and any answers to questions. */
  readonly c?: WireContext
}

/** Runs an action. */
export interface CallRequest {
  /** Discriminates the frames. */
  readonly t: "call"
  /** The number of the service. */
  readonly s: number
  /** The action's key. */
  readonly k: string
  /** The action's input. */
  readonly i?: JsonValue
  /** The service's identity as the caller saw it. If it has changed since, nothing runs. */
  readonly of?: string
  /** The hash of the definition that the caller saw; see `gateOf`. If it has changed since, nothing runs. */
  readonly g?: number
  /** The questions that the person answered; see `writeWords`. If they have changed since, nothing runs. */
  readonly w?: string
}

/** Checks the input of an action that asks, and returns its questions. */
export interface CheckRequest extends Omit<CallRequest, "t" | "g" | "w"> {
  /** Discriminates the frames. */
  readonly t: "check"
}

/** Continues an action that asked a question while it ran. */
export interface ResumeRequest {
  /** Discriminates the frames. */
  readonly t: "resume"
  /** The request that returned the question. */
  readonly q: number
  /** The answers by key, or `"declined"` or `"cancelled"`. */
  readonly a: JsonValue
  /** The asking call's `of`. */
  readonly of?: string
}

/** Reads a state whose value is held elsewhere. */
export interface ReadRequest {
  /** Discriminates the frames. */
  readonly t: "read"
  /** The number of the service. */
  readonly s: number
  /** The state's key. */
  readonly k: string
  /** See {@link CallRequest.of}. */
  readonly of?: string
}

/** The caller's context, as JSON. */
export interface WireContext {
  /** See `ExecuteContext`. */
  readonly principal?: JsonValue
  /** See `ExecuteContext`. */
  readonly answers?: JsonValue
  /** See `ExecuteContext`. */
  readonly confirmed?: true
}

/** A progress report, as JSON. */
export interface WireProgress {
  /** See `Progress`. */
  readonly progress: number
  /** See `Progress`. */
  readonly total?: number
  /** See `Progress`. */
  readonly message?: string
  /** The text pieces since the last report, joined. */
  readonly text?: string
}

/** The changes of one service. */
export interface ServiceDiff {
  /** The number of the service. */
  readonly id: number
  /** Name, description and identity; only if new or changed. */
  readonly intro?: ServiceIntro
  /** Declared members, or some of them: kind, key, definition, and `1` for a conditional member. */
  readonly declared?: readonly (readonly [kind: MapName, key: string, definition: JsonValue, conditional: 0 | 1])[]
  /** States that were added, changed (with a definition only if that changed) or removed (`0`). */
  readonly states?: readonly MemberDiff[]
  /** Actions that were added, changed or removed (`0`). `1` means as declared. */
  readonly actions?: readonly MemberDiff[]
  /** Links that were added, changed or removed (`0`). */
  readonly links?: readonly MemberDiff[]
  /** Reasons why declared members are unavailable: kind, key, reason. */
  readonly why?: readonly (readonly [kind: MapName, key: string, reason: string])[]
  /** Maps that have emitted for the first time. */
  readonly spoken?: readonly MapName[]
}

/** A key with its current item, or `0` if the item was removed. */
export type MemberDiff = readonly [key: string, item: JsonValue]

/** The name, description and identity of a service. Sent again when it changes. */
export interface ServiceIntro {
  /** The service's name. */
  readonly name: string
  /** The service's description. */
  readonly description?: string
  /** The identity of what the service represents; see `thingOf`. Only sent to a side that announced `things`. */
  readonly thing?: string
  /** Whether an author gave that identity, so that it outlives the process. */
  readonly lasting?: true
}

/** The maps of a service. */
export type MapName = "states" | "actions" | "links"

/** The maps of a service, links last: a link's target is sent before the link. */
export const MAP_NAMES: readonly MapName[] = ["states", "actions", "links"]

/** A frame of which only the kind has been checked. */
export type AnyFrame = Readonly<Record<string, unknown>> & { readonly t: string }

/** Parses a frame. Returns `undefined` if the text is not a frame or exceeds the limit. */
export function readFrame(text: string, longest: number): AnyFrame | undefined {
  if (text.length > longest) return undefined
  const frame = parseJson(text)
  return isRecord(frame) && isAnyFrame(frame) ? frame : undefined
}

function isAnyFrame(frame: Readonly<Record<string, unknown>>): frame is AnyFrame {
  return typeof frame["t"] === "string"
}

/** Whether a value can be the number of a service, call or diff. */
export function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
}

/** Builds the text of a diff. Its length is known at any time and nothing is serialized twice. */
export interface DiffText {
  /** Whether a text of that length still fits. The first text always does. */
  fits(length: number): boolean
  /** Adds an entry to a service's list. */
  put(id: number, list: "declared" | MapName | "why" | "spoken", entry: string): void
  /** Adds the introduction of a new service. */
  introduce(id: number, intro: JsonValue): void
  /** Adds a field of the whole diff. */
  say(name: "gone" | "failures" | "live", value: JsonValue): void
  /** Returns the whole frame, or `undefined` if it would be empty. */
  finish(n: number): string | undefined
}

/** Creates an empty diff. */
export function createDiffText(): DiffText {
  const services = new Map<number, Map<string, string[]>>()
  const intros = new Map<number, string>()
  const said: string[] = []
  let length = 0

  const listsOf = (id: number): Map<string, string[]> => {
    const lists = services.get(id) ?? new Map<string, string[]>()
    services.set(id, lists)
    return lists
  }
  const finishService = ([id, lists]: readonly [number, ReadonlyMap<string, readonly string[]>]): string => {
    const intro = intros.has(id) ? `,"intro":${intros.get(id)}` : ""
    const rest = [...lists].map(([name, entries]) => `,"${name}":[${entries.join(",")}]`)
    return `{"id":${id}${intro}${rest.join("")}}`
  }

  return {
    fits: (more) => length === 0 || length + more <= CHUNK,
    put(id, name, entry) {
      const lists = listsOf(id)
      const list = lists.get(name)
      if (list === undefined) lists.set(name, [entry])
      else list.push(entry)
      length += entry.length + 1
    },
    introduce(id, intro) {
      listsOf(id)
      const text = JSON.stringify(intro)
      intros.set(id, text)
      length += text.length
    },
    say(name, value) {
      const text = JSON.stringify(value)
      said.push(`,"${name}":${text}`)
      length += text.length
    },
    finish(n) {
      if (services.size === 0 && said.length === 0) return undefined
      return `{"t":"diff","n":${n},"s":[${[...services].map(finishService).join(",")}]${said.join("")}}`
    },
  }
}

/** The approximate size at which a diff is cut, so that other frames can go in between. */
const CHUNK = 256_000
