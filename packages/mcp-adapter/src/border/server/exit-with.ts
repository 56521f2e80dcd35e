import { cleanText } from "@x/base"
import type { McpAdapter } from "../../create-adapter.js"
import { once } from "../../runtime/host.js"

/** A server that can be closed, and may end by itself. */
export interface Ending {
  /** Closes it. */
  close(): Promise<void>
  /** Resolves once it has ended. */
  readonly closed: Promise<void>
}

/** Closes the adapter, lets the application release its resources, and exits with code 0; only the first call counts. */
export type Leave = () => void

/** Creates the last steps of a process that the server owns. */
export function createLeave(adapter: McpAdapter, onExit: () => void | Promise<void> = () => {}): Leave {
  return once(() => {
    adapter.close()
    // The application may release slowly, and a pipe may accept the remaining output late or never.
    setTimeout(exit, LETTING_GO)
    void letGo(onExit).then(() => {
      setTimeout(exit, FLUSH)
      process.stdout.write("", exit)
    })
  })
}

/**
 * Ties a process to a server: SIGTERM, SIGINT and SIGHUP (terminal closed) close the server, a second signal exits at once with
 * code 1, and the process exits when the server has ended.
 */
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

/** Exits when the parent process is gone: nobody needs an answer, even if others hold standard input open. */
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
    process.stderr.write(`"onExit" failed: ${cleanText(told)}\n`)
  }
}

function exit(): void {
  process.exit()
}

/** How long the application may take to release its resources, in milliseconds. */
const LETTING_GO = 5_000

/** How long remaining output may take, in milliseconds. */
const FLUSH = 1_000

/** How often the parent process is checked, in milliseconds. */
const LOOK = 500
