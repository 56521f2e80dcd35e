import type { Observable } from "rxjs"
import type { ClientInfo } from "../calls/call-context.js"
import type { ToolDefinition, ToolEntry } from "../catalogue/entry.js"
import type { Notice, View } from "../views/view.js"
import type { ActionCall, BuiltIn } from "./built-in.js"
import type { ItemCall } from "./item-calls.js"
import type { ItemOf } from "./item-lists.js"
import type { LinkUrl } from "./list-links.js"
import type { StateMode } from "./state-mode.js"
import type { WaitForOptions } from "./wait-for.js"

/** Shows a catalogue to one kind of client. Stateless: the same for every connection to a view. */
export interface Exposure {
  /** Returns the answer to tools/list, sorted by name in code-unit order. */
  list(view: View): readonly ToolDefinition[]
  /**
   * Returns the built-in tools now in the list. Does not count as a client's read: the caller may inspect the list without
   * sending it.
   */
  own(view: View): readonly ToolDefinition[]
  /** The names of built-in tools that can be called, listed or not. Every endpoint reserves them when it starts. */
  readonly ownNames: readonly string[]
  /** The names of built-in tools for long actions. Every endpoint reserves them once an action is long. */
  readonly namesForLong: readonly string[]
  /** Returns the meaning of a tool name. The call itself checks whether an action exists and is available. */
  resolve(view: View, name: string): Exposed
  /** The tools that stand for actions of several items. Absent in exposures without such tools. */
  readonly items?: ItemTools
  /** Emits the notices for clients of this exposure. Hot; never errors; completes with the view's notices. */
  notices(view: View): Observable<ExposureNotice>
}

/** A notice for clients: about their list of tools, or about states. */
export type ExposureNotice = { readonly kind: "tools" | "resources" } | Extract<Notice, { readonly kind: "updated" }>

/** Tools that stand for the same action of several items of a collection. */
export interface ItemTools {
  /**
   * Returns a call of such a tool as the call of the item's own action; `undefined` if the name is not such a tool's. The view
   * is ready.
   *
   * @param at - The chosen target's view. Default: the view itself.
   */
  toOwn(view: View, call: Pick<ActionCall, "name" | "args">, at?: View): ItemCall | undefined
  /** Returns the tool that stands for an action, and the action's item; `undefined` if the action is listed by itself. */
  of(view: View, entry: ToolEntry): ItemOf | undefined
  /** Returns the names of the actions for which a listed tool stands; `undefined` if it stands for itself. */
  namesOf(view: View, definition: ToolDefinition): readonly string[] | undefined
  /** Returns the tools of several items that are listed now. Does not count as a client's read. */
  listed(view: View): readonly ListedItemTool[]
  /** Returns the number of tools, without built-in ones, that a view lists while every known action can be called. */
  count(view: View): number
}

/** A listed tool that stands for the same action of several items. */
export interface ListedItemTool {
  /** The published definition. */
  readonly definition: ToolDefinition
  /** The own names of the items' actions. */
  readonly actions: readonly string[]
}

/** The meaning of a tool name. */
type Exposed =
  | { readonly kind: "built-in"; readonly builtIn: BuiltIn }
  | { readonly kind: "action"; readonly name: string }

/**
 * The name of an exposure. `dynamic` lists actions that can be called now; `stable` always lists every known action, and a call
 * of an unavailable one returns the reason; `meta` lists a few fixed tools that find and run actions; `grouped` lists actions
 * as `dynamic` does, but the same action of several items of `links` as one tool with the item as a parameter.
 */
export type ExposureName = "dynamic" | "stable" | "meta" | "grouped"

/** The names of all exposures. */
export const exposureNames: readonly ExposureName[] = ["dynamic", "stable", "meta", "grouped"]

/** The built-in tools of an exposure. */
export interface ExposureOptions {
  /** How clients read states; decides whether `get_state` exists. Default `both`. */
  readonly states?: StateMode
  /**
   * Whether `run_action` exists, which lets a client that never lists again call actions that it learns of later; `meta` always
   * has it. Default `true`.
   */
  readonly runAction?: boolean
  /** Whether `wait_for` exists, if states are read through a tool, and its options. Default `false`. */
  readonly waitFor?: boolean | WaitForOptions | undefined
  /** Whether `run_action` accepts confirmation tokens. Default `false`. */
  readonly confirm?: boolean
  /** Whether `get_task` and `cancel_task` exist. They are listed while an action is long. Default `true`. */
  readonly tasks?: boolean
  /** Whether a name belongs to the adapter's own tools. Default: every name of such a tool does. */
  readonly isReserved?: (name: string) => boolean
  /** Whether `list_links` exists. Default `true`. */
  readonly links?: boolean
  /**
   * Returns a linked service's URL path, if each service is an endpoint of its own. If given, `list_links` returns it, and
   * `get_state` reads only one service. Default: linked services are part of this endpoint.
   */
  readonly linkUrl?: LinkUrl | undefined
  /** The most characters in a built-in tool's answer. Default 100,000. */
  readonly sizeLimit?: number
}

/**
 * Chooses the exposure of one legacy connection, once, by the client's stated name; `undefined` keeps the endpoint's exposure.
 * A throw is reported and has the same effect.
 */
export type ExposureFor = (client: ClientInfo, about: ExposureFacts) => ExposureName | undefined

/** Further facts for the choice of an exposure. */
export interface ExposureFacts {
  /** The number of tools known to the client, without built-in ones. */
  readonly tools: number
  /** The number of tools that `grouped` makes of them. */
  readonly grouped?: number
}
