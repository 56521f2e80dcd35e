import type { Calls } from "../calls/create-calls.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Exposure } from "../exposures/exposure.js"
import type { StateMode } from "../exposures/state-mode.js"
import type { Host } from "../runtime/host.js"
import type { View } from "../views/view.js"
import type { CatchUpOptions, SettleOptions } from "./catch-up.js"
import type { Extension } from "./extension.js"

/** What the handlers of one view stand on. */
export interface HandlerOptions {
  /** What the callers may see. */
  readonly view: View
  /** The one path that every call takes. */
  readonly calls: Pick<Calls, "call" | "callOwn" | "acquaintance" | "caughtUp">
  /** The face the view shows. */
  readonly exposure: Exposure
  /** How states reach the client; the same as the exposure was made with. */
  readonly states: StateMode
  /** The server's name, as it stands in resource URIs. */
  readonly serverName: string
  /** The most items on a page of a list. */
  readonly pageSize: number
  /** The most characters of text in a tool's result; what is longer is shortened. */
  readonly maxResultChars: number
  /** The most characters of a tool's result in all, as JSON. */
  readonly wholeResultChars: number
  /** How results tell what changed; `undefined` where they do not. */
  readonly catchUp: CatchUpOptions | undefined
  /** How calls wait for the application to come to rest; `undefined` where they do not. */
  readonly settle: SettleOptions | undefined
  /** Time, what is held, and who is told. */
  readonly host: Host
  /** Knows which actions to wait for. */
  readonly patience: Patience
  /** Whether every caller sees the same, so that caches may share what they keep. */
  readonly shared: boolean
  /** What is offered besides. */
  readonly extension?: Extension | undefined
}

/** Learns for which actions it is worth to wait until their changes are there. */
export interface Patience {
  /** Whether to wait for the changes of an action that shows none yet. */
  for(entry: ToolEntry): boolean
  /** Learns from one call: its changes were there at once, came while it waited, or did not come. */
  learn(entry: ToolEntry, came: "at once" | "late" | "never"): void
}
