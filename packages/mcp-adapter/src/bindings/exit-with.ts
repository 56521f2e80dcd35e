import type { McpAdapter } from "../create-adapter.js"

/** Something served that can be ended, and can end by itself. */
export interface Ending {
  /** Ends it. */
  close(): Promise<void>
  /** Resolves once it has ended. */
  readonly closed: Promise<void>
}

/**
 * Gives the process to a server: SIGTERM and SIGINT close it, and a second one exits at once with code 1; when it has
 * ended, the adapter is closed and the process exits, whatever else the application still holds.
 */
export function exitWith(server: Ending, adapter: McpAdapter): void {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(1)
    asked = true
    void server.close()
  }
  process.on("SIGTERM", onSignal)
  process.on("SIGINT", onSignal)
  void server.closed.then(() => {
    adapter.close()
    // A pipe may take what was written in its own time, or never.
    setTimeout(exit, FLUSH)
    process.stdout.write("", exit)
  })
}

/** Exits at once when the parent is gone: there is nobody to answer, though standard input may be held open by others. */
export function exitWithParent(adapter: McpAdapter): void {
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid === parent) return
    adapter.close()
    exit()
  }, LOOK)
  look.unref()
}

function exit(): void {
  process.exit()
}

/** How long what was written may take to get out, in milliseconds. */
const FLUSH = 1_000

/** How often the parent is looked for, in milliseconds. */
const LOOK = 500
