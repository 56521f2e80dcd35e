import type { Ledger } from "../../src/index.js"

/** Clients of both eras who come, call, and are gone in the middle of a call. */
export interface Rounds {
  /** What the server holds. */
  readonly ledger: Ledger
  /** Plays a round; the index says over what, in which era, and whether the client says goodbye. */
  play(index: number): Promise<void>
  /** Ends the server. */
  close(): Promise<void>
}

/** Serves a board over HTTP and in memory. */
export function createRounds(): Promise<Rounds>
