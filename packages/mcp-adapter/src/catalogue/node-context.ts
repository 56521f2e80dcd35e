import type { Path } from "../names/path.js"
import type { Host } from "../runtime/host.js"
import type { Claims } from "./claims.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import type { KnownTools } from "./known-tools.js"
import type { CatalogueLimits } from "./listing.js"
import type { Naming } from "./naming.js"
import type { PublishInput } from "./publish-tool.js"

/** Context shared by a catalogue's nodes. */
export interface NodeContext {
  /** Assigns names to tools. */
  readonly naming: Naming
  /** Publishes input schemas. */
  readonly publishInput: PublishInput
  /** Creates resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Returns whether this task allows publishing another tool. */
  readonly mayPublish: () => boolean
  /** Claims to tool names. */
  readonly tools: Claims<ToolEntry>
  /** The registry of known tools: declared ones, and ones no longer listed. */
  readonly known: Pick<KnownTools, "turn" | "declare" | "withdraw" | "depart">
  /** Claims to state URIs. */
  readonly states: Claims<StateEntry>
  /** Called with a listed state that has a new value. */
  readonly onValue: (entry: StateEntry) => void
  /** Limits of the catalogue. */
  readonly limits: CatalogueLimits
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}
