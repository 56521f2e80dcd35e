import type { Observable } from "rxjs"
import type { ClientInfo } from "../calls/call-context.js"
import type { ToolDefinition } from "../catalogue/entry.js"
import type { Notice, View } from "../views/view.js"
import type { BuiltIn } from "./built-in.js"
import type { LinkUrl } from "./list-links.js"
import type { StateMode } from "./state-mode.js"
import type { WaitForOptions } from "./wait-for.js"

/** The face a catalogue shows to one kind of client. Stateless: the same for every connection to a view. */
export interface Exposure {
  /** What tools/list answers now, sorted by name in code-unit order. */
  list(view: View): readonly ToolDefinition[]
  /** The tools of our own that the list has now. No reader's read: the list may be looked at without being handed out. */
  own(view: View): readonly ToolDefinition[]
  /** The names of the tools of our own that can be called, listed or not. Every endpoint reserves them at its start. */
  readonly ownNames: readonly string[]
  /** What a tool name stands for; whether the action exists, and may be called now, is the call's to find out. */
  resolve(view: View, name: string): Exposed
  /** What clients that are shown this face are to be told. Hot; never errors; completes with the view's notices. */
  notices(view: View): Observable<ExposureNotice>
}

/** Something clients are to be told: of the list of tools as they are shown it, or of states. */
export type ExposureNotice = { readonly kind: "tools" | "resources" } | Extract<Notice, { readonly kind: "updated" }>

/** What a tool name stands for. */
type Exposed =
  | { readonly kind: "built-in"; readonly builtIn: BuiltIn }
  | { readonly kind: "action"; readonly name: string }

/**
 * Which face an endpoint shows. `dynamic`: what can be called now; `stable`: everything that is known, always, and what
 * cannot be called now says why when it is called; `meta`: a few fixed tools that find actions and run them.
 */
export type ExposureName = "dynamic" | "stable" | "meta"

/** Every exposure there is. */
export const exposureNames: readonly ExposureName[] = ["dynamic", "stable", "meta"]

/** Which tools of our own an exposure has. */
export interface ExposureOptions {
  /** How states reach the client; decides whether there is `get_state`. Default `both`. */
  readonly states?: StateMode
  /**
   * Whether there is `run_action`, which lets a client that never re-lists call what it learns later; `meta` always has
   * it. Default `true`.
   */
  readonly runAction?: boolean
  /** Whether, and how, there is `wait_for`, where states are read through a tool. Default `false`. */
  readonly waitFor?: boolean | WaitForOptions | undefined
  /** Whether `run_action` takes the tokens of calls that were to be confirmed. Default `false`. */
  readonly confirm?: boolean
  /** Whether there is `list_links`. Default `true`. */
  readonly links?: boolean
  /**
   * Where each service is an endpoint of its own, as a URL path. Given, `list_links` tells it, and `get_state` reads one
   * service only. Default: what is linked is shown here.
   */
  readonly linkUrl?: LinkUrl | undefined
  /** The most characters that a tool of our own answers. Default 100,000. */
  readonly sizeLimit?: number
}

/**
 * Chooses the exposure of one legacy connection, once, by what its client says it is; `undefined` leaves it as the
 * endpoint has it. A throw is reported and does the same.
 */
export type ExposureFor = (client: ClientInfo, about: ExposureFacts) => ExposureName | undefined

/** What else a choice of exposure may depend on. */
export interface ExposureFacts {
  /** How many tools are known to the client, those of our own left out. */
  readonly tools: number
}
