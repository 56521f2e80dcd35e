import { once } from "node:events"
import type { View } from "@x/mcp-adapter/binding"
import { toJson } from "@x/tool-schemas/json"
import { CliError, invalidUsage } from "./cli-error.js"
import type { CommandSite } from "./command/command-line.js"
import { print, tell, toJsonText } from "./display.js"
import { findState, placeOf } from "./names/find-member.js"
import type { ModeSite, RunOptions } from "./run-options.js"

/**
 * Keeps the process alive while there is work, whatever the work itself holds: an action may wait for something that holds
 * nothing, and the adapter's timers hold nothing either.
 *
 * @returns Lets the process end.
 */
export function stayAlive(): () => void {
  const awake = setInterval(() => undefined, LONGEST)
  return () => clearInterval(awake)
}

/**
 * Runs `first` at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once, with code 1.
 *
 * @returns Lets go of the signals.
 */
export function untilSignal(first: () => void): () => void {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(1)
    asked = true
    first()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
}

/** Does what is to be done when all is over, for {@link FINISHING} milliseconds at most. A failure of it is told, and no more. */
export async function finish(onExit: (() => void | Promise<void>) | undefined): Promise<void> {
  if (onExit === undefined) return
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FINISHING)
  })
  await Promise.race([late, tryIt(onExit)])
  clearTimeout(timer)
}

async function tryIt(onExit: () => void | Promise<void>): Promise<void> {
  try {
    await onExit()
  } catch (cause) {
    tell("what was to be done before the exit failed", String(cause instanceof Error ? cause.stack : cause))
  }
}

/** Ends the process once what was written is out, or could not get out in {@link FLUSH} milliseconds. */
export function exitWith(code: number): Promise<never> {
  return new Promise(() => {
    const exit = (): void => process.exit(code)
    setTimeout(exit, FLUSH)
    process.stdout.write("", () => void process.stderr.write("", exit))
  })
}

/** How long the last steps may take, in milliseconds. */
const FINISHING = 5_000

/** How long what was written may take to get out, in milliseconds. */
const FLUSH = 1_000

/** What tells a process to end: the person, the system, and the terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The most milliseconds that a timer can wait. */
const LONGEST = 2 ** 31 - 1

// A binding is loaded when it is asked for: the MCP SDK alone takes longer to load than most actions to run.

/**
 * Serves one client over standard input and output until its input ends or the process is told to. Where the process is the
 * command's own, it ends there, and with its parent.
 */
export async function serveMcp({ adapter, command, options }: ModeSite): Promise<number> {
  expectSupported("--mcp", command, options)
  const { exit = true, onStart, onExit } = options
  const { serveStdio } = await import("@x/mcp-adapter/stdio")
  await onStart?.()
  const server = serveStdio(adapter, { ...options.stdio, exit, ...(onExit && { onExit }) })
  const release = exit ? () => {} : untilSignal(() => void server.close())
  await server.closed
  release()
  // The process is about to end, with its own last steps.
  return exit ? new Promise(() => undefined) : 0
}

/**
 * Serves over HTTP until the process is told to end, and prints the URL once it listens. Where the process is the command's
 * own, it ends there.
 */
export async function serveHttp({ adapter, command, options }: ModeSite, address: string | undefined): Promise<number> {
  expectSupported("--http", command, options)
  const { exit = true, onStart, onExit } = options
  const where = { ...options.http, ...(address !== undefined && toAddress(address)) }
  const { serveHttp: serve } = await import("@x/mcp-adapter/http")
  await onStart?.()
  const server = await serve(adapter, { ...where, exit, ...(onExit && { onExit }) }).catch((cause: unknown) => {
    throw CliError.from(cause)
  })
  if (!isLocal(where.host) && where.authenticate === undefined)
    tell(command.name, `anybody who reaches "${where.host}" can call it: "authenticate" is not set`)
  await print(`${server.url}\n`)
  const release = exit ? () => {} : untilSignal(() => void server.close())
  await server.closed
  release()
  // The process is about to end, with its own last steps.
  return exit ? new Promise(() => undefined) : 0
}

function isLocal(host = "127.0.0.1"): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.")
}

/** Refuses to serve where that is switched off. */
function expectSupported(flag: string, { name }: CommandSite, { mcpSupported = true }: RunOptions): void {
  if (!mcpSupported) throw invalidUsage(`"${flag}" is switched off: "${name}" is no MCP server, only a command`)
}

/**
 * Reads `[host:]port`; a host with colons is in brackets, as in a URL.
 *
 * @throws CliError `invalid_usage` when it is something else.
 */
function toAddress(text: string): { readonly host?: string; readonly port: number } {
  const [, bracketed, plain, digits = ""] = /^(?:\[([\da-fA-F:.]+)\]:|([^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = digits === "" ? Number.NaN : Number(digits)
  if (!(port <= 65_535)) {
    throw invalidUsage(
      `flag "--http" is "${text}": expected [host:]port, such as 3000 or 127.0.0.1:3000, the port at most 65535`,
    )
  }
  const host = bracketed ?? plain
  return { port, ...(host !== undefined && { host }) }
}

/**
 * Prints states as they are, a line of JSON each, and again whenever a value changes, until the process is told to end or
 * nobody reads. As for any client, of several changes of a state within a moment the last is printed.
 */
export async function watchStates({ view, options }: ModeSite, word: string | undefined): Promise<number> {
  const wanted = word === undefined ? undefined : findState(view, word)
  await options.onStart?.()
  const changed = createLines(view, wanted)
  const unwatch = view.watch("all")
  const subscription = view.notices.subscribe({
    next(notice) {
      if (notice.kind === "updated") changed.add(notice.uri)
      if (notice.kind === "resources") for (const { uri } of notice.diff.states.vanished) changed.add(uri)
    },
    complete: () => changed.end(),
  })
  const release = untilSignal(changed.end)
  process.stdout.once("error", changed.end)
  for (const { uri } of view.snapshot().states) changed.add(uri)
  await changed.ended
  subscription.unsubscribe()
  unwatch()
  release()
  return 0
}

/** Lines about states that change. */
interface Lines {
  /** Prints the state behind a URI as it will be then. */
  add(uri: string): void
  /** Prints no more. */
  end(): void
  /** Resolves once that is so. */
  readonly ended: Promise<unknown>
}

/** Prints the newest of what changed, at the pace of who reads. */
function createLines(view: View, wanted: string | undefined): Lines {
  const waiting = new Set<string>()
  const places = new Map<string, string>()
  let printing = false
  const reading = new AbortController()
  const drain = async (): Promise<void> => {
    printing = true
    for (const uri of waiting) {
      waiting.delete(uri)
      await printState(uri)
    }
    printing = false
  }
  const printState = async (uri: string): Promise<void> => {
    const entry = view.state(uri)
    const state = entry?.current()
    const place = entry === undefined ? places.get(uri) : placeOf(entry)
    if (place === undefined || (wanted !== undefined && place !== wanted)) return
    places.set(uri, place)
    const line = state === undefined ? { state: place, gone: true } : { state: place, value: toJson(state.value) }
    await print(`${toJsonText(line)}\n`)
  }
  return {
    ended: once(reading.signal, "abort"),
    end: () => reading.abort(),
    add(uri: string) {
      waiting.add(uri)
      if (!printing) void drain()
    },
  }
}
