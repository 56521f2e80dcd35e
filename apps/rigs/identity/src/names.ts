import type { Kind, Slot } from "./steps.js"

/** The names of an application's members, as a client sees them. */
export interface Names {
  /** Returns the name of a document's action. */
  tool(slot: Slot, kind: Kind): string
  /** Returns the URI of a document's state. */
  uri(slot: Slot, key: "title" | "stamp"): string
  /** Names the action that waits for its turn. */
  readonly hold: string
  /** Whether former names and aliases can be called. A gateway knows only listed names. */
  readonly aliases: boolean
}
