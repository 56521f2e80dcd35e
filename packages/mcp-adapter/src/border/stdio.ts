import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/base"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { checkGivenPrincipal } from "../runtime/callback.js"
import type { Report } from "../runtime/diagnostic.js"
import { once } from "../runtime/host.js"
import { createLineReader, createLineWriter } from "./pipe/lines.js"
import { type PipeServer, servePipe } from "./pipe/serve-pipe.js"
import { createLeave, exitWith, exitWithParent } from "./server/exit-with.js"
import { DRAIN } from "./server/work.js"

export type { EndpointOptions } from "../endpoint-options.js"
export type { PipeServer } from "./pipe/serve-pipe.js"

/** Options of {@link serveStdio}. */
export interface StdioOptions extends EndpointOptions {
  /** The calling principal. Default: anonymous. */
  readonly principal?: Principal
  /** How long running calls may take to finish after the input ends or the server is closed, in milliseconds. Default 5,000. */
  readonly drainMs?: number
  /** The most listen streams of 2026-07-28 that the client may have open; one more is refused. Default 100. */
  readonly maxListens?: number
  /**
   * Whether the server owns the process. Then SIGTERM, SIGINT and SIGHUP close the server, a second signal exits at once, and
   * after the end, the adapter is closed and the process exits with code 0, even if something else keeps it alive. It also
   * exits when its parent process is gone. Default `false`: you own the process, so wait for `closed`.
   */
  readonly exit?: boolean
  /**
   * Runs before the process exits, after the server and the adapter have closed, unless a second signal ends it. Its promise
   * delays the exit by at most 5,000 milliseconds. Use it to release resources that would outlive the process: a child process,
   * a lock, a container. It should not reject. Used only with `exit`.
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
 * Serves one client over standard input and output, in either era. Ends once the input has ended and all requests are answered.
 * Only protocol messages go to standard output: other writes to `process.stdout` are redirected to standard error, and
 * reported.
 *
 * @throws AdapterError `invalid_option` for an unknown or invalid option.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { serveStdio } from "@x/mcp-adapter/stdio"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * // Ends the process once the client closes the input. Standard output belongs to MCP: log with console.error.
 * serveStdio(adapter, { exit: true })
 * ```
 */
export function serveStdio(adapter: McpAdapter, options: StdioOptions = {}): PipeServer {
  const { principal, drainMs = DRAIN, maxListens, exit = false } = options
  checkOptions(options, rules)
  checkGivenPrincipal("principal", principal)
  const endpoint = createEndpoint(adapter, options)
  const stdout = claimStdout(endpoint.host.report)
  // Neither the clock's timers nor a running action may keep the process alive, so this timer does.
  const close = (): Promise<void> => {
    const awake = setInterval(() => undefined, 1_000)
    return served.close().finally(() => clearInterval(awake))
  }
  const served = servePipe(
    endpoint,
    { send: stdout.write, close: () => undefined },
    { transport: "stdio", principal, drainMs, maxListens },
  )
  const lines = createLineReader(MAX_LINE, {
    line: served.receive,
    tooLong: () => served.refuse(`a line is longer than ${MAX_LINE} bytes: send a shorter message`),
  })
  // Answers may still be read after the input has ended.
  const releaseStdin = takeStdin(lines.take, () => {
    lines.end()
    void close()
  })
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

/** The most bytes of one message. */
const MAX_LINE = 10 * 2 ** 20

/** Standard output, claimed for the protocol. */
interface ClaimedStdout {
  /** Writes a line with the others of this turn of the event loop; resolves once the system has accepted them. */
  write(line: string): Promise<void>
  /** Writes what is left, and lets other code write again; idempotent. */
  release(): void
}

/**
 * Keeps standard output free for the protocol: `console.log` and other writers are redirected to standard error, and the first
 * such write is reported. Writes that bypass `process.stdout`, to the file descriptor or from a child process that inherits it,
 * cannot be redirected.
 */
function claimStdout(report: Report): ClaimedStdout {
  const { stdout, stderr } = process
  const { write } = stdout
  // Without a listener, the error of a client that has left would be thrown in the host, even after the end. An unread standard
  // error would throw at the next log line.
  for (const stream of [stdout, stderr]) if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  let told = false
  const redirected = new Proxy(stderr.write, {
    apply(target, _stdout, given) {
      if (!told) {
        told = true
        report({ code: "stray_output", message: STRAY, cause: new Error("the write came from here") })
      }
      return Reflect.apply(target, stderr, given)
    },
  })
  stdout.write = redirected
  const lines = createLineWriter((text, done) => write.call(stdout, text, "utf8", done))
  // A host may end the process before the turn is over.
  process.on("exit", lines.flush)
  return {
    write: lines.write,
    release() {
      lines.flush()
      process.off("exit", lines.flush)
      if (stdout.write === redirected) stdout.write = write
    },
  }
}

const STRAY =
  "a write to standard output was redirected to standard error, because standard output carries MCP: log to standard error"

function ignore(): void {}

/**
 * Reads standard input.
 *
 * @param ended - Runs once everything has been read and the input has ended or failed.
 * @returns Stops reading.
 */
function takeStdin(take: (bytes: Uint8Array) => void, ended: () => void): () => void {
  const { stdin } = process
  const end = once(ended)
  stdin.on("data", take)
  // A failing stream may not emit `end`.
  for (const event of ["end", "close", "error"]) stdin.once(event, end)
  return () => {
    stdin.off("data", take)
    stdin.pause()
  }
}
