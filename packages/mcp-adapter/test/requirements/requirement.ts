/** A required behaviour of our servers. */
export interface Requirement {
  /** The id that tests cite in brackets after their names. */
  readonly id: string
  /** The clause: a path on modelcontextprotocol.io that contains the revision's date. */
  readonly clause: string
  /** The behaviour, in one sentence. */
  readonly says: string
}

/** Creates the requirements of one clause, by id. */
export function clause(path: string, sentences: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(sentences).map(([id, says]) => ({ id, clause: `/specification/${path}`, says }))
}
