import type { Path } from "../names/path.js"
import type { Host } from "../runtime/host.js"
import type { Claims } from "./claims.js"
import type { StateEntry, ToolEntry } from "./entry.js"
import type { KnownTools } from "./known-tools.js"
import type { CatalogueLimits } from "./listing.js"
import type { Naming } from "./naming.js"
import type { PublishInput } from "./publish-tool.js"

/** What the nodes of a catalogue share. */
export interface NodeContext {
  /** Gives the tools their names. */
  readonly naming: Naming
  /** Publishes the input schemas. */
  readonly publishInput: PublishInput
  /** Makes the resource URIs. */
  readonly stateUri: (path: Path, key: string) => string
  /** Whether another tool may be published within this task. */
  readonly mayPublish: () => boolean
  /** Where tools claim their names. */
  readonly tools: Claims<ToolEntry>
  /** Where declared tools are made known, and those that are not listed any more stay known. */
  readonly known: Pick<KnownTools, "declare" | "withdraw" | "depart">
  /** Where states claim their URIs. */
  readonly states: Claims<StateEntry>
  /** Told that a listed state has another value. */
  readonly onValue: (entry: StateEntry) => void
  /** How much is taken in. */
  readonly limits: CatalogueLimits
  /** Time, what is held, and who is told. */
  readonly host: Host
}
