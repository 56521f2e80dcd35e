import { once } from "node:events"
import { isLocalHost, toJson } from "@x/base"
import type { View } from "@x/mcp-adapter/binding"
import { CliError, invalidUsage } from "./cli-error.js"
import type { CommandSite } from "./command/command-line.js"
import { print, printMessage, toJsonText } from "./display.js"
import { findState, placeOf } from "./names/find-member.js"
import type { ModeSite, RunOptions } from "./run-options.js"

/**
 * Keeps the process alive during work. Actions may wait for something that does not keep Node alive, and the adapter's timers
 * do not either.
 *
 * @returns A function that lets the process end.
 */
export function stayAlive(): () => void {
  const awake = setInterval(() => undefined, LONGEST)
  return () => clearInterval(awake)
}

/**
 * Runs `first` at the first SIGINT, SIGTERM or SIGHUP. A second signal ends the process at once with code 1.
 *
 * @returns A function that stops listening.
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

/** Runs `onExit` for at most {@link FINISHING} milliseconds. Its failure is only reported. */
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
    printMessage("onExit failed", String(cause instanceof Error ? cause.stack : cause))
  }
}

/** Ends the process once its output is flushed, or after {@link FLUSH} milliseconds. */
export function exitWith(code: number): Promise<never> {
  return new Promise(() => {
    const exit = (): void => process.exit(code)
    setTimeout(exit, FLUSH)
    process.stdout.write("", () => void process.stderr.write("", exit))
  })
}

/** How long `onExit` may take, in milliseconds. */
const FINISHING = 5_000

/** How long flushing may take, in milliseconds. */
const FLUSH = 1_000

/** The signals that end a process: from the person, the system or a closed terminal. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The longest time of a timer, in milliseconds. */
const LONGEST = 2 ** 31 - 1

// Bindings are imported on demand: the MCP SDK alone takes longer to load than most actions to run.

/**
 * Serves one client over standard input and output until the input ends or a signal arrives. Such an end also stops a process
 * that belongs to the command, as its parent's exit does.
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
  // The binding ends the process after its own last steps.
  return exit ? new Promise(() => undefined) : 0
}

/**
 * Serves over HTTP until a signal arrives, and prints the URL once it listens. That also stops a process that belongs to the
 * command.
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
  if (!isLocalHost(where.host ?? "127.0.0.1") && where.authenticate === undefined)
    printMessage(
      command.name,
      `warning: anybody who can reach "${where.host}" can call it, because the option "authenticate" is not set`,
    )
  await print(`${server.url}\n`)
  const release = exit ? () => {} : untilSignal(() => void server.close())
  await server.closed
  release()
  // The binding ends the process after its own last steps.
  return exit ? new Promise(() => undefined) : 0
}

/** Rejects serving if it is turned off. */
function expectSupported(flag: string, { name }: CommandSite, { mcpSupported = true }: RunOptions): void {
  if (!mcpSupported) throw invalidUsage(`"${flag}" is turned off: "${name}" is only a command, not an MCP server`)
}

/**
 * Parses `[host:]port`. Hosts with colons need brackets, as in URLs.
 *
 * @throws CliError `invalid_usage` for anything else.
 */
function toAddress(text: string): { readonly host?: string; readonly port: number } {
  const [, bracketed, plain, digits = ""] = /^(?:\[([\da-fA-F:.]+)\]:|([^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = digits === "" ? Number.NaN : Number(digits)
  if (!(port <= 65_535)) {
    throw invalidUsage(
      `flag "--http" is "${text}": expected [host:]port, such as 3000 or 127.0.0.1:3000, with a port of at most 65535`,
    )
  }
  const host = bracketed ?? plain
  return { port, ...(host !== undefined && { host }) }
}

/**
 * Prints states, one line of JSON each, now and on every change, until a signal arrives or the reader closes. As for any
 * client, only the last of several quick changes is printed.
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

/** Prints the lines of changed states. */
interface Lines {
  /** Prints the latest value of the state with that URI. */
  add(uri: string): void
  /** Stops printing. */
  end(): void
  /** Resolves once printing has stopped. */
  readonly ended: Promise<unknown>
}

/** Prints the latest values at the reader's pace. */
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
