/** A behaviour that the specification asks of what we serve. */
export interface Requirement {
  /** What tests cite, in brackets at the end of their names. */
  readonly id: string
  /** The clause: a path on modelcontextprotocol.io, the revision's date in it. */
  readonly clause: string
  /** The behaviour, in one sentence. */
  readonly says: string
}

/** The requirements of one clause, by id. */
export function clause(path: string, sentences: Readonly<Record<string, string>>): Requirement[] {
  return Object.entries(sentences).map(([id, says]) => ({ id, clause: `/specification/${path}`, says }))
}
