/** Connected clients and running calls, shown beside the page's status. */
export interface Activity {
  /** The names of the clients that hear of changes, the earliest first. */
  readonly clients: readonly string[]
  /** The calls that run or have just ended, the earliest first. */
  readonly calls: readonly RunningCall[]
}

/** A running call, as the page names it. */
export interface RunningCall {
  /** The client's name. */
  readonly client: string
  /** The tool's name. */
  readonly tool: string
}
