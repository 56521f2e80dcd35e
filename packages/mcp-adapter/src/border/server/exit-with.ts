import type { McpAdapter } from "../../create-adapter.js"
import { once } from "../../runtime/host.js"

/** Something served that can be ended, and can end by itself. */
export interface Ending {
  /** Ends it. */
  close(): Promise<void>
  /** Resolves once it has ended. */
  readonly closed: Promise<void>
}

/** Closes the adapter, lets the application let go of what it holds, and exits with code 0; only the first call counts. */
export type Leave = () => void

/** The last steps of a process that is a server's own. */
export function createLeave(adapter: McpAdapter, onExit: () => void | Promise<void> = () => {}): Leave {
  return once(() => {
    adapter.close()
    // What the application lets go of may take its time, and so may a pipe that takes what was written, or never does.
    setTimeout(exit, LETTING_GO)
    void letGo(onExit).then(() => {
      setTimeout(exit, FLUSH)
      process.stdout.write("", exit)
    })
  })
}

/** Gives the process to a server: SIGTERM, SIGINT and SIGHUP (its terminal was closed) close it, a second one exits at once with code 1; when it has ended, so does the process. */
export function exitWith(server: Ending, leave: Leave): void {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(1)
    asked = true
    void server.close()
  }
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal)
  void server.closed.then(leave)
}

/** Leaves when the parent is gone: there is nobody to answer, though standard input may be held open by others. */
export function exitWithParent(leave: Leave): void {
  const parent = process.ppid
  const look = setInterval(() => {
    if (process.ppid !== parent) leave()
  }, LOOK)
  look.unref()
}

async function letGo(onExit: () => void | Promise<void>): Promise<void> {
  try {
    await onExit()
  } catch (cause) {
    const told = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    process.stderr.write(`what was to be done before the exit failed: ${told}\n`)
  }
}

function exit(): void {
  process.exit()
}

/** How long letting go may take, in milliseconds. */
const LETTING_GO = 5_000

/** How long what was written may take to get out, in milliseconds. */
const FLUSH = 1_000

/** How often the parent is looked for, in milliseconds. */
const LOOK = 500
