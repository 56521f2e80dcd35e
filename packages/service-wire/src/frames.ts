import { isRecord, type JsonValue, parseJson } from "@x/tool-schemas/json"
import type { WireLimits } from "./limits.js"

// What travels, as JSON, one object a frame. Names are short because diffs are many; maps are lists of pairs, so that a key
// such as `__proto__` is a key like any other.

/** The version of the wire. Sides of different versions part at once, and say so: half of an understanding is worse than none. */
export const WIRE_VERSION = 1

/** The first frame of either side. */
export interface HelloFrame {
  /** Tells the frames apart. */
  readonly t: "hello"
  /** The version it speaks; see {@link WIRE_VERSION}. */
  readonly wire: number
  /** What it is: the one that has the service, or the one that mirrors it. */
  readonly role: "offer" | "mirror"
  /** What the mirror takes. */
  readonly limits?: WireLimits
  /** That it tells, and compares, what each service stands for. Older sides do neither. */
  readonly things?: true
  /** Identifies the process, or the load of the page, that offers. */
  readonly load?: string
}

/** The last frame of a side that leaves. */
export interface ByeFrame {
  /** Tells the frames apart. */
  readonly t: "bye"
  /** Why. */
  readonly reason: string
  /** Of which kind its leaving is; see `WireClosed`. */
  readonly code: string
}

/** What the offering side sends. */
export type OfferFrame =
  | HelloFrame
  | ByeFrame
  | {
      /** What changed since the last one. The first ones together, up to one with `live`, are a snapshot. */
      readonly t: "diff"
      readonly n: number
      /** Services that are new, or have members that changed, each before any link to it. */
      readonly s: readonly ServiceDiff[]
      /** Services that nothing links to any more. */
      readonly gone?: readonly number[]
      /** What went wrong in the application: which kind of member, its key, what. */
      readonly failures?: readonly (readonly [kind: string, key: string, message: string])[]
      /** The mirror is whole. */
      readonly live?: true
    }
  | { readonly t: "progress"; readonly id: number; readonly p: WireProgress }
  | { readonly t: "result"; readonly id: number; readonly r: JsonValue }
  | { readonly t: "beat" }

/** What the mirroring side sends. */
export type MirrorFrame =
  | HelloFrame
  | ByeFrame
  /** Every diff up to this one was taken in, the next may come: a slow reader costs one value. */
  | { readonly t: "ack"; readonly n: number }
  /** One more report of progress may come. */
  | { readonly t: "more"; readonly id: number }
  | { readonly t: "cancel"; readonly id: number }
  /** A state whose value is held elsewhere is watched, or not any more. */
  | { readonly t: "watch"; readonly s: number; readonly k: string; readonly on: boolean; readonly of?: string }
  | { readonly t: "beat"; readonly at: number }
  | RequestFrame

/** Something that comes to a result. */
export type RequestFrame = RequestHead & (CallRequest | CheckRequest | ResumeRequest | ReadRequest)

/** What every request has. */
export interface RequestHead {
  /** Its number. */
  readonly id: number
  /** When it was sent, in milliseconds of the sender's clock, which is not the reader's. */
  readonly at: number
  /** For how long after that it may still be begun, in milliseconds; what is begun later has been given up by its caller. */
  readonly ttl: number
  /** Who calls, and what was answered. */
  readonly c?: WireContext
}

/** Runs an action. */
export interface CallRequest {
  /** Tells the frames apart. */
  readonly t: "call"
  /** The service. */
  readonly s: number
  /** The action's key. */
  readonly k: string
  /** Its input. */
  readonly i?: JsonValue
  /** What the service stands for, as it was told: nothing runs if it stands for another thing by then. */
  readonly of?: string
  /** The definition that the caller saw, see `gateOf`: nothing runs if it is another by then. */
  readonly g?: number
  /** The questions that the person answered, see `writeWords`: nothing runs if they read otherwise by then. */
  readonly w?: string
}

/** Checks input of an action that asks, and makes its questions. */
export interface CheckRequest extends Omit<CallRequest, "t" | "g" | "w"> {
  /** Tells the frames apart. */
  readonly t: "check"
}

/** Goes on with an action that asked in the middle. */
export interface ResumeRequest {
  /** Tells the frames apart. */
  readonly t: "resume"
  /** Which question: the number of the request that came back with it. */
  readonly q: number
  /** The answers by key, or what the person did instead. */
  readonly a: JsonValue
  /** The `of` of the call that asked. */
  readonly of?: string
}

/** Reads a state whose value is held elsewhere. */
export interface ReadRequest {
  /** Tells the frames apart. */
  readonly t: "read"
  /** The service. */
  readonly s: number
  /** The state's key. */
  readonly k: string
  /** See {@link CallRequest.of}. */
  readonly of?: string
}

/** Who calls, as it travels. */
export interface WireContext {
  /** See `ExecuteContext`. */
  readonly principal?: JsonValue
  /** See `ExecuteContext`. */
  readonly answers?: JsonValue
  /** See `ExecuteContext`. */
  readonly confirmed?: true
}

/** How far a call has come, as it travels. */
export interface WireProgress {
  /** See `Progress`. */
  readonly progress: number
  /** See `Progress`. */
  readonly total?: number
  /** See `Progress`. */
  readonly message?: string
  /** The pieces since the last report, as one. */
  readonly text?: string
}

/** What changed of one service. */
export interface ServiceDiff {
  /** Its number. */
  readonly id: number
  /** What it is; only where that is new. */
  readonly intro?: ServiceIntro
  /** Its declared members, or some of them: kind, key, definition, and `1` where it has a condition. */
  readonly declared?: readonly (readonly [kind: MapName, key: string, definition: JsonValue, conditional: 0 | 1])[]
  /** States that came, changed (a definition only where it did) or went (`0`). */
  readonly states?: readonly MemberDiff[]
  /** Actions that came, changed or went (`0`); `1` is as declared. */
  readonly actions?: readonly MemberDiff[]
  /** Links that came, changed or went (`0`). */
  readonly links?: readonly MemberDiff[]
  /** Why declared members are not there: kind, key, reason. */
  readonly why?: readonly (readonly [kind: MapName, key: string, reason: string])[]
  /** Which of its maps have spoken; only where one has since. */
  readonly spoken?: readonly MapName[]
}

/** A key and what there is now, or `0` for nothing. */
export type MemberDiff = readonly [key: string, item: JsonValue]

/** What a service is; told again when it changes. */
export interface ServiceIntro {
  /** Its name. */
  readonly name: string
  /** What it is for. */
  readonly description?: string
  /** What it stands for, see `thingOf`; only for a side that announced `things`. */
  readonly thing?: string
  /** That an author gave that identity, so that it outlives the process. */
  readonly lasting?: true
}

/** The maps of a service. */
export type MapName = "states" | "actions" | "links"

/** The maps of a service, links last: what they lead to is told before them. */
export const MAP_NAMES: readonly MapName[] = ["states", "actions", "links"]

/** A frame of whose fields nothing is known yet but its kind. */
export type AnyFrame = Readonly<Record<string, unknown>> & { readonly t: string }

/** Reads a frame; `undefined` where it is none, or longer than is taken. */
export function readFrame(text: string, longest: number): AnyFrame | undefined {
  if (text.length > longest) return undefined
  const frame = parseJson(text)
  return isRecord(frame) && isAnyFrame(frame) ? frame : undefined
}

function isAnyFrame(frame: Readonly<Record<string, unknown>>): frame is AnyFrame {
  return typeof frame["t"] === "string"
}

/** Whether a value is a number as services, calls and diffs have it. */
export function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0
}

/** The text of a diff while it is put together, so that its length is known and nothing is written twice. */
export interface DiffText {
  /** Whether a text of that length has room; a first one always has. */
  fits(length: number): boolean
  /** Adds an entry to a list of a service. */
  put(id: number, list: "declared" | MapName | "why" | "spoken", entry: string): void
  /** Says what a new service is. */
  introduce(id: number, intro: JsonValue): void
  /** Adds what is said once for the whole diff. */
  say(name: "gone" | "failures" | "live", value: JsonValue): void
  /** The whole frame; `undefined` where there is nothing in it. */
  finish(n: number): string | undefined
}

/** No text yet. */
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

/** About how long a diff may become before the rest waits for the next: others have their turn in between. */
const CHUNK = 256_000
