/** What a log keeps of something thrown: what it is and where it came from, and nothing else that hangs on it. */
export interface LoggedError {
  /** The error's name, or what it is when it is no error. */
  readonly type: string
  /** The error's message. */
  readonly message: string
  /** Its stack, with the stacks of its causes below; absent where there is none. */
  readonly stack?: string
}

/** Says what was thrown. Errors often carry requests with their headers, so only name, message and stack are taken. */
export function toLoggedError(thrown: unknown): LoggedError {
  try {
    if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
    return { type: thrown.name, message: thrown.message, stack: stacksOf(thrown).join("\ncaused by: ") }
  } catch {
    return { type: typeof thrown, message: "(reading it throws)" }
  }
}

function stacksOf(error: Error): readonly string[] {
  const stacks: string[] = []
  let next: unknown = error
  while (next instanceof Error && stacks.length < MAX_CAUSES) {
    stacks.push(next.stack ?? String(next))
    next = next.cause
  }
  return stacks
}

/** Causes may go round in a circle. */
const MAX_CAUSES = 5
