/** Bytes sent over one connection, with the expected answer. */
export interface SentRow {
  /** The row's name. */
  readonly name: string
  /** The bytes, piece by piece; the sender closes after the last. */
  readonly bytes: Iterable<string | Uint8Array>
  /** Expected parts of the answer, status line included. */
  readonly says: readonly RegExp[]
}

/** A hostile row, with its limits. */
export interface HostileRow extends SentRow {
  /** The maximum of bytes held at once. */
  readonly held: number
  /** The maximum of properties and items read after parsing. */
  readonly looked: number
}

/** A plain, valid request. */
export const plain: SentRow
/** Valid requests that few clients send. */
export const odd: readonly SentRow[]
/** All hostile rows. */
export const hostile: readonly HostileRow[]
/** Sends a row over its own connection. Returns everything received until its end. */
export function send(port: number, row: SentRow): Promise<string>
