/** What a client sends over one connection, and what it is answered. */
export interface SentRow {
  /** What it is. */
  readonly name: string
  /** The bytes, piece by piece; `end` ends what is sent. */
  readonly bytes: Iterable<string | Uint8Array>
  /** What the answer has in it, status line and all. */
  readonly says: readonly RegExp[]
}

/** What a stranger sends, and what may be made of it. */
export interface HostileRow extends SentRow {
  /** How many bytes may be held at once. */
  readonly held: number
  /** How many properties and items may be looked at once it is parsed. */
  readonly looked: number
}

/** A request that nothing is wrong with. */
export const plain: SentRow
/** Requests that nothing is wrong with either, and that few clients send. */
export const odd: readonly SentRow[]
/** All that strangers send. */
export const hostile: readonly HostileRow[]
/** Sends a row over a connection of its own; gives what came back until its end. */
export function send(port: number, row: SentRow): Promise<string>
