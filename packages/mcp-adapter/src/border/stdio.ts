import type { Principal } from "@x/agentic-service"
import type { OptionRule } from "@x/tool-schemas/json"
import { checkOptions } from "../adapter-error.js"
import type { McpAdapter } from "../create-adapter.js"
import { createEndpoint } from "../create-endpoint.js"
import { type EndpointOptions, endpointOptionRules } from "../endpoint-options.js"
import { checkGivenPrincipal } from "../runtime/callback.js"
import type { Report } from "../runtime/diagnostic.js"
import { once } from "../runtime/host.js"
import { type PipeServer, servePipe } from "./pipe/serve-pipe.js"
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
   * Whether the process is the server's own. Then SIGTERM, SIGINT and SIGHUP close the server, a second one exits at once, and when
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
  checkGivenPrincipal("principal", principal)
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
  const lines = createLineReader(MAX_LINE, {
    line: served.receive,
    tooLong: () => served.refuse(`a line is longer than ${MAX_LINE} bytes: expected less in one message`),
  })
  // There may be answers that somebody still reads.
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

/** How many bytes one message may have. */
const MAX_LINE = 10 * 2 ** 20

/** Standard output while it belongs to the protocol. */
interface ClaimedStdout {
  /** Writes a line to standard output, where nothing else writes; resolves once the system has taken it. */
  write(line: string): Promise<void>
  /** Lets others write again; idempotent. */
  release(): void
}

/**
 * Keeps everything but the protocol off standard output: what `console.log` and other writers send there goes to standard
 * error, and the first of them is reported. What is written past `process.stdout`, to the descriptor or by a child process
 * that inherits it, cannot be kept off.
 */
function claimStdout(report: Report): ClaimedStdout {
  const { stdout, stderr } = process
  const { write } = stdout
  // Without a listener, a client that is gone would throw in the host; it may still do so when all is over. One that does
  // not read standard error would do so as soon as somebody logs.
  for (const stream of [stdout, stderr]) if (!stream.listeners("error").includes(ignore)) stream.on("error", ignore)
  let told = false
  const redirected = new Proxy(stderr.write, {
    apply(target, _stdout, given) {
      if (!told) {
        told = true
        report({ code: "stray_output", message: STRAY, cause: new Error("it was written here") })
      }
      return Reflect.apply(target, stderr, given)
    },
  })
  stdout.write = redirected
  return {
    write: (line) =>
      new Promise((resolve, reject) => {
        write.call(stdout, `${line}\n`, "utf8", (error) => (error ? reject(error) : resolve()))
      }),
    release() {
      if (stdout.write === redirected) stdout.write = write
    },
  }
}

const STRAY =
  "something other than the protocol was written to standard output, and went to standard error: expected it to log there"

function ignore(): void {}

/**
 * Reads standard input.
 *
 * @param ended - Runs once everything has been read and the input has ended, or failed.
 * @returns Reads no more.
 */
function takeStdin(take: (bytes: Uint8Array) => void, ended: () => void): () => void {
  const { stdin } = process
  const end = once(ended)
  stdin.on("data", take)
  // Without an end, as when it fails.
  for (const event of ["end", "close", "error"]) stdin.once(event, end)
  return () => {
    stdin.off("data", take)
    stdin.pause()
  }
}

/** What takes the lines of a stream of bytes. */
interface LineTaker {
  /** Takes a line, without its end; blank ones are left out. */
  line(text: string): void
  /** Runs when a line is longer than may be, once for each; the rest of it is thrown away. */
  tooLong(): void
}

/** Where the bytes of a stream go. */
interface LineReader {
  /** Takes the next bytes. */
  take(bytes: Uint8Array): void
  /** Takes what came after the last end of a line. */
  end(): void
}

/**
 * Cuts a stream of bytes into lines of UTF-8: a character may be cut by the stream, lines end in LF or CRLF, and a byte order
 * mark at the start is no part of the first. A line that never ends holds no more than the limit; the last one needs no end.
 *
 * @param limit - The most bytes of a line.
 */
function createLineReader(limit: number, { line, tooLong }: LineTaker): LineReader {
  let parts: Uint8Array[] = []
  let length = 0
  let skipping = false
  let first = true
  const take = (): void => {
    const text = decoder.decode(parts.length === 1 ? parts[0] : join(parts, length)).replace(/\r$/, "")
    const plain = first && text.startsWith(MARK) ? text.slice(1) : text
    first = false
    if (plain.trim() !== "") line(plain)
  }
  const end = (): void => {
    if (!skipping) take()
    skipping = false
    parts = []
    length = 0
  }
  const add = (bytes: Uint8Array): void => {
    if (skipping) return
    length += bytes.length
    if (length <= limit) return void parts.push(bytes)
    skipping = true
    parts = []
    tooLong()
  }
  return {
    take(bytes) {
      let start = 0
      for (let newline = bytes.indexOf(LF); newline >= 0; newline = bytes.indexOf(LF, start)) {
        add(bytes.subarray(start, newline))
        end()
        start = newline + 1
      }
      if (start < bytes.length) add(bytes.subarray(start))
    },
    end() {
      if (length > 0) end()
    },
  }
}

const LF = 0x0a
const MARK = "\uFEFF"
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
