import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { type PipeServer, servePipe } from "./pipe/serve-pipe.js"
import { claimStdout, createLineReader, takeStdin } from "./pipe/standard-streams.js"
import { createLeave, exitWith, exitWithParent } from "./server/exit-with.js"
import { DRAIN } from "./server/work.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { PipeServer } from "./pipe/serve-pipe.js"

/** How {@link serveStdio} serves. */
export interface StdioOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
  /** How long calls may still run when the input ends, or the server is closed, in milliseconds. Default 5,000. */
  readonly drainMs?: number
  /** How many listen streams of 2026-07-28 the client may have open; one more is refused. Default 100. */
  readonly maxListens?: number
  /**
   * Whether the process is the server's own. Then SIGTERM and SIGINT close the server, a second one exits at once, and when
   * it has ended the adapter is closed and the process exits with code 0, whatever else holds it; it also exits when its
   * parent is gone. Default `false`: the process is yours, so wait for `closed`.
   */
  readonly exit?: boolean
  /**
   * Runs before such a process exits, whatever the reason but a second signal, once the server has ended and the adapter is
   * closed; the exit waits for it, for 5,000 milliseconds at most. To let go of what would outlive the process: a child
   * process, a lock, a container. It should not reject.
   */
  readonly onExit?: () => void | Promise<void>
}

const rules: Record<keyof StdioOptions, OptionRule> = {
  ...endpointOptionRules,
  principal: "object",
  drainMs: { from: 0 },
  maxListens: { from: 0, whole: true },
  exit: "flag",
  onExit: "function",
}

/**
 * Serves one client over the process's standard input and output, in both eras. Ends when the input ends, once what was
 * asked is answered. Nothing but protocol goes to the output: what else is written to `process.stdout` meanwhile goes to
 * standard error, and is reported.
 *
 * @throws AdapterError `invalid_option` for an option that there is not, or that cannot be.
 */
export function serveStdio(adapter: McpAdapter, options: StdioOptions = {}): PipeServer {
  const { principal, drainMs = DRAIN, maxListens, exit = false } = options
  checkOptions(options, rules)
  const endpoint = createEndpoint(adapter, options)
  const stdout = claimStdout(endpoint.host.report)
  // The clock's timers keep no process alive, and an action that waits for its end may hold nothing that does.
  const close = (): Promise<void> => {
    const awake = setInterval(() => undefined, 1_000)
    return served.close().finally(() => clearInterval(awake))
  }
  const served = servePipe(
    endpoint,
    { send: stdout.write, close: () => undefined },
    { transport: "stdio", principal, drainMs, maxListens },
  )
  const read = createLineReader(MAX_LINE, {
    line: served.receive,
    tooLong: () => served.refuse(`a line is longer than ${MAX_LINE} bytes: expected less in one message`),
  })
  // There may be answers that somebody still reads.
  const releaseStdin = takeStdin(read, () => void close())
  void served.closed.then(() => {
    stdout.release()
    releaseStdin()
  })
  const server = { close, closed: served.closed }
  if (exit) {
    const leave = createLeave(adapter, options.onExit)
    exitWith(server, leave)
    exitWithParent(leave)
  }
  return server
}

/** How many bytes one message may have. */
const MAX_LINE = 10 * 2 ** 20
