import type { Calls } from "../calls/create-calls.js"
import type { ToolEntry } from "../catalogue/entry.js"
import type { Exposure } from "../exposures/exposure.js"
import type { StateMode } from "../exposures/state-mode.js"
import type { Host } from "../runtime/host.js"
import type { ServiceProfile } from "../views/profile.js"
import type { View } from "../views/view.js"
import type { CatchUpOptions, SettleOptions } from "./catch-up.js"
import type { Extension } from "./extension.js"

/** Context of one view's handlers. */
export interface HandlerOptions {
  /** The callers' view. */
  readonly view: View
  /** The call path. */
  readonly calls: Pick<Calls, "call" | "callOwn" | "acquaintance" | "caughtUp" | "tasks">
  /** The view's exposure. */
  readonly exposure: Exposure
  /** The state mode, the same as the exposure's. */
  readonly states: StateMode
  /** The server's name as it appears in resource URIs. */
  readonly serverName: string
  /** The page size of lists. */
  readonly pageSize: number
  /** The maximum of text characters in a tool's result. Longer texts are shortened. */
  readonly maxResultChars: number
  /** The maximum of JSON characters in a whole tool result. */
  readonly wholeResultChars: number
  /** Options of reporting changes; `undefined` for no reports. */
  readonly catchUp: CatchUpOptions | undefined
  /** Options of waiting until the application has settled; `undefined` for no wait. */
  readonly settle: SettleOptions | undefined
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
  /** Knows which actions are worth waiting for. */
  readonly patience: Patience
  /** Whether all callers see the same, so that caches may share answers. */
  readonly shared: boolean
  /** The profile of the view. Absent if there is none. */
  readonly profile?: ServiceProfile | undefined
  /** Whether calls of long actions are handed over. */
  readonly tasks: boolean
  /** The output schema of long actions: their own or a handle, or none. */
  readonly longSchema: LongSchema
  /** The extension. */
  readonly extension?: Extension | undefined
}

/** The output schema that long actions publish. */
export type LongSchema = "either" | "omit"

/** Learns which actions are worth waiting for. */
export interface Patience {
  /** Whether to wait for the changes of an action that shows none yet. */
  for(entry: ToolEntry): boolean
  /** Learns from a call whether its changes were immediate, came during the wait, or never came. */
  learn(entry: ToolEntry, came: "at once" | "late" | "never"): void
}
