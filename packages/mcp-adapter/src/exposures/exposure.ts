import type { Observable } from "rxjs"
import type { ToolDefinition } from "../catalogue/entry.js"
import type { Notice, View } from "../catalogue/view.js"
import type { BuiltIn } from "./built-ins/built-in.js"

/** The face a catalogue shows to one kind of client. Stateless: the same for every connection to a view. */
export interface Exposure {
  /** What tools/list answers now, sorted by name in code-unit order. */
  list(view: View): readonly ToolDefinition[]
  /** What a tool name stands for; whether the action exists, and may be called now, is the call's to find out. */
  resolve(view: View, name: string): Exposed
  /** What clients that are shown this face are to be told. Hot; never errors; completes with the view's notices. */
  notices(view: View): Observable<ExposureNotice>
}

/** Something clients are to be told: of the list of tools as they are shown it, or of states. */
export type ExposureNotice = { readonly kind: "tools" | "resources" } | Extract<Notice, { readonly kind: "updated" }>

/** What a tool name stands for. */
export type Exposed =
  | { readonly kind: "built-in"; readonly builtIn: BuiltIn }
  | { readonly kind: "action"; readonly name: string }
