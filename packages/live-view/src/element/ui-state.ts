import type { CallFrame, ExposureOf } from "../frames/frame.js"
import type { Picture } from "../frames/picture.js"
import type { Player } from "./player.js"

/** What a person has chosen to look at, and what there is. */
export interface UiState {
  /** Whether frames come: from a server, from a file, or not at all. */
  connection: "connecting" | "live" | "lost" | "replay"
  /** What there is; absent before the first frame. */
  picture: Picture | undefined
  /** Which list is open on the left. */
  left: "tools" | "states" | "links"
  /** Which is open on the right. */
  right: "calls" | "clients" | "story"
  /** Which face of the adapter is looked at. */
  exposure: ExposureOf
  /** For whom schemas are published; empty is as the adapter does it. */
  profile: string
  /** Words that what is listed has to have. */
  search: string
  /** What is open in full. */
  selected: Selected | undefined
  /** What the list costs a model. */
  costs: Costs | undefined
  /** Whether what comes is held back. */
  paused: boolean
  /** Whether a recording is being made. */
  recording: boolean
  /** A recording that is played. */
  player: Player | undefined
  /** What happened, in words, the newest last. */
  readonly story: StoryLine[]
  /** What went wrong last, for the person. */
  fault: string | undefined
}

/** What is open in full. */
export type Selected =
  | {
      readonly kind: "tool"
      readonly name: string
      details?: ToolDetails | undefined
      form?: boolean
      answer?: TriedAnswer
    }
  | { readonly kind: "state"; readonly uri: string; value?: unknown }
  | { readonly kind: "call"; readonly call: CallFrame }

/** All of a tool, as the server tells it. */
export interface ToolDetails {
  readonly definition: Readonly<Record<string, unknown>> & { readonly description?: string }
  readonly available: boolean
  readonly reason?: string
  readonly changes: readonly string[]
  readonly form: object
}

/** What came of a call that was tried. */
export interface TriedAnswer {
  readonly kind: "settled" | "asked" | "unknown" | "incapable"
  readonly ok?: boolean
  readonly code?: string
  readonly recovery?: string
  readonly json?: unknown
  readonly hidden?: boolean
  readonly questions?: Readonly<Record<string, { readonly message: string; readonly schema: object }>>
  readonly state?: string
  readonly error?: string
}

/** What lists cost, by exposure. */
export type Costs = Readonly<
  Record<ExposureOf, { readonly tools: number; readonly chars: number; readonly tokens: number }>
> & {
  readonly encoding: string
}

/** One thing that happened, in words. */
export interface StoryLine {
  /** When; see `Stamped.at`. */
  readonly at: number
  /** What. */
  readonly text: string
  /** Its colour. */
  readonly tone: "call" | "good" | "bad" | "change" | "notice" | "note"
}

/** Nothing is there yet. */
export function createUiState(): UiState {
  return {
    connection: "connecting",
    picture: undefined,
    left: "tools",
    right: "calls",
    exposure: "dynamic",
    profile: "",
    search: "",
    selected: undefined,
    costs: undefined,
    paused: false,
    recording: false,
    player: undefined,
    story: [],
    fault: undefined,
  }
}
