import type { Ledger } from "../../src/index.js"

/** Clients of both eras that connect, call, and leave during a call. */
export interface Rounds {
  /** The server's open resources. */
  readonly ledger: Ledger
  /** Plays a round; the index determines transport, era and whether the client says goodbye. */
  play(index: number): Promise<void>
  /** Ends the server. */
  close(): Promise<void>
}

/** Serves a board over HTTP and in memory. */
export function createRounds(): Promise<Rounds>
