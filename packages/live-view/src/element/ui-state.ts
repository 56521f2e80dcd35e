import type { CallFrame, ExposureOf } from "../frames/frame.js"
import type { Picture } from "../frames/picture.js"
import type { Player } from "./player.js"

/** The person's selection, and the data to show. */
export interface UiState {
  /** The data source: a server, a recording, or none yet. */
  connection: "connecting" | "live" | "lost" | "replay"
  /** The current data; absent before the first frame. */
  picture: Picture | undefined
  /** The selected list on the left. */
  left: "tools" | "states" | "links"
  /** The selected list on the right. */
  right: "calls" | "clients" | "story"
  /** The selected exposure. */
  exposure: ExposureOf
  /** The profile that schemas are published for; empty for the adapter's own publishing. */
  profile: string
  /** The search text that filters lists. */
  search: string
  /** Whether unavailable tools are left out. */
  onlyAvailable: boolean
  /** When the newest live frame arrived, on the server's clock (see `Stamped.at`) and on the page's. */
  heard: { readonly at: number; readonly here: number } | undefined
  /** The item whose details are open. */
  selected: Selected | undefined
  /** The list's cost for models. */
  costs: Costs | undefined
  /** Whether new frames are held back. */
  paused: boolean
  /** Whether a recording is running. */
  recording: boolean
  /** The player of an open recording. */
  player: Player | undefined
  /** Descriptions of past frames, newest last. */
  readonly story: StoryLine[]
  /** The last failure, for the person. */
  fault: string | undefined
}

/** The item whose details are open. */
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

/** A tool's details, as the server sends them. */
export interface ToolDetails {
  readonly definition: Readonly<Record<string, unknown>> & { readonly description?: string }
  readonly available: boolean
  readonly reason?: string
  readonly changes: readonly string[]
  readonly form: object
}

/** The answer to a tried call. */
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

/** The cost of lists, by exposure. */
export type Costs = Readonly<
  Record<ExposureOf, { readonly tools: number; readonly chars: number; readonly tokens: number }>
> & {
  readonly encoding: string
}

/** The description of one event. */
export interface StoryLine {
  /** The time of the event; see `Stamped.at`. */
  readonly at: number
  /** The text. */
  readonly text: string
  /** The kind of event, which determines the colour. */
  readonly tone: "call" | "good" | "bad" | "change" | "notice" | "note"
}

/** Creates the state before the first frame. */
export function createUiState(): UiState {
  return {
    connection: "connecting",
    picture: undefined,
    left: "tools",
    right: "calls",
    exposure: "dynamic",
    profile: "",
    search: "",
    onlyAvailable: false,
    heard: undefined,
    selected: undefined,
    costs: undefined,
    paused: false,
    recording: false,
    player: undefined,
    story: [],
    fault: undefined,
  }
}
