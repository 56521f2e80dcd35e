import { StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import type { Principal } from "@x/agentic-service"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import type { EndpointOptions } from "../endpoint-options.js"
import { createLeave, exitWith, exitWithParent } from "./server/exit-with.js"
import { DRAIN } from "./server/work.js"
import { type PipeServer, servePipe } from "./stdio/serve-pipe.js"
import { claimStdout, takeStdin } from "./stdio/standard-streams.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { PipeServer } from "./stdio/serve-pipe.js"

/** How {@link serveStdio} serves. */
export interface StdioOptions extends EndpointOptions {
  /** Who calls, as far as the application is concerned. Default: anonymous. */
  readonly principal?: Principal
  /** How long calls may still run when the input ends, or the server is closed, in milliseconds. Default 5,000. */
  readonly drain?: number
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

/**
 * Serves one client over the process's standard input and output, in both eras. Ends when the input ends, once what was
 * asked is answered. Nothing but protocol goes to the output: what else is written to `process.stdout` meanwhile goes to
 * standard error, and is reported.
 */
export function serveStdio(adapter: McpAdapter, options: StdioOptions = {}): PipeServer {
  const { principal, drain = DRAIN, maxListens, exit = false } = options
  const endpoint = createEndpoint(adapter, options)
  const stdout = claimStdout(endpoint.host.report)
  // The clock's timers keep no process alive, and an action that waits for its end may hold nothing that does.
  const close = (): Promise<void> => {
    const awake = setInterval(() => undefined, 1_000)
    return served.close().finally(() => clearInterval(awake))
  }
  const stdin = takeStdin(endpoint.host.clock, close)
  const wire = new StdioServerTransport(stdin.input, stdout.output)
  const served = servePipe(endpoint, wire, { transport: "stdio", principal, drain, maxListens })
  void served.closed.then(() => {
    stdout.release()
    stdin.release()
  })
  const server = { close, closed: served.closed }
  if (exit) {
    const leave = createLeave(adapter, options.onExit)
    exitWith(server, leave)
    exitWithParent(leave)
  }
  return server
}
