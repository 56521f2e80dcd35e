import { Buffer } from "node:buffer"
import type { ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import process from "node:process"
import { deserializeMessage, type JSONRPCMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client"
import spawn from "cross-spawn"
import { createPerSecond } from "../life/per-second.js"
import type { DialEars } from "../life/session.js"
import { reaper } from "./reaper.js"

/** A server started as a command. */
export interface CommandServer {
  /** The program. */
  readonly command: string
  /** Its arguments. The value of one such as `--api-key` never appears in messages or logs. Default: none. */
  readonly args?: readonly string[]
  /**
   * Its environment, besides a few inherited variables without secrets. The values never appear in messages or logs. Default:
   * empty.
   */
  readonly env?: Readonly<Record<string, string>>
  /** Its working directory. Default: the current one. */
  readonly cwd?: string
  /** The most bytes of one received message. Default 64 MB. */
  readonly maxMessageBytes?: number
}

/** The inherited variables: what programs need to run, without secrets. */
const INHERITED = [
  "HOME",
  "LANG",
  "LC_ALL",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "APPDATA",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "COMSPEC",
]

/** Milliseconds for each step of ending a process: close its input, SIGTERM, SIGKILL. */
const STEP_MS = { input: 500, SIGTERM: 1_000, SIGKILL: 1_000 }

/** How long the rest of the output is read after the process has exited, since others may hold its pipes open. */
const DRAIN_MS = 200

/** Creates a transport over a command's standard input and output. Closing it ends every process that the command started. */
export function createChildTransport(server: CommandServer, ears: DialEars): Transport {
  let child: ChildProcess | undefined
  let exited: Promise<void> = Promise.resolve()
  let ended = false
  let closing = false

  // The SDK recognises a process by these two members. If a process does not answer an unknown request, it is an older one or
  // still starting.
  const transport: Transport & { readonly stderr: null; readonly pid: number | null } = {
    stderr: null,
    get pid() {
      return child?.pid ?? null
    },
    start() {
      const started = spawnServer(server)
      child = started
      exited = followEnd(started, { ears, server }, (reason) => {
        ended = true
        // A process that we end has no reason of its own.
        if (!closing) ears.ended(reason)
        transport.onclose?.()
      })
      readMessages(started, { most: server.maxMessageBytes ?? 64_000_000, ears }, transport)
      readErrors(started, ears)
      return new Promise((resolve, reject) => {
        started.once("spawn", resolve)
        started.once("error", (cause) => reject(toStartError(server, cause)))
      })
    },
    send(message) {
      const input = child?.stdin
      if (ended || input === null || input === undefined || !input.writable)
        return Promise.reject(new Error("not connected: its process has ended"))
      // A write error leads to the end of the process, which ends this wait as well.
      if (input.write(serializeMessage(message))) return Promise.resolve()
      return new Promise((resolve) => {
        const done = (): void => {
          input.off("drain", done)
          input.off("close", done)
          resolve()
        }
        input.on("drain", done)
        input.on("close", done)
      })
    },
    async close() {
      closing = true
      if (child !== undefined) await endProcess(child, exited)
    },
  }
  return transport
}

function spawnServer({ command, args = [], env, cwd }: CommandServer): ChildProcess {
  const inherited = Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
  return spawn(command, [...args], {
    env: { ...inherited, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    // A process group, so that child processes of the command end with it.
    detached: process.platform !== "win32",
  })
}

function toStartError({ command, cwd }: Pick<CommandServer, "command" | "cwd">, cause: Error): Error {
  const missing = "code" in cause && cause.code === "ENOENT"
  const message = !missing
    ? `"${command}" could not be started: ${cause.message}`
    : // The error code is the same for both.
      cwd !== undefined && !existsSync(cwd)
      ? `there is no folder "${cwd}" to run "${command}" in`
      : `there is no program "${command}": install it, or give its whole path`
  return new Error(message, { cause })
}

/** @returns Settles once the process has exited. */
function followEnd(
  child: ChildProcess,
  { ears, server }: { readonly ears: DialEars; readonly server: CommandServer },
  ended: (reason: string) => void,
): Promise<void> {
  const over = ears.child()
  const forget = child.pid === undefined ? (): void => undefined : reaper.watch(child.pid)
  child.stdin?.on("error", () => undefined)
  return new Promise((resolve) => {
    const end = (reason: string): void => {
      over()
      forget()
      resolve()
      ended(reason)
    }
    child.once("error", (cause) => end(toStartError(server, cause).message))
    child.once("exit", (code, signal) => {
      // Processes that the command started may hold its pipes, so they are killed. The remaining output is still read.
      signalGroup(child, "SIGKILL")
      const late = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, DRAIN_MS)
      child.once("close", () => {
        clearTimeout(late)
        end(`its process ended (${signal ?? `exit code ${code}`})`)
      })
    })
  })
}

function readMessages(
  child: ChildProcess,
  { most, ears }: { readonly most: number; readonly ears: DialEars },
  transport: Transport,
): void {
  let speaks = false
  const read = createLineReader(most, {
    line(text) {
      if (text.trim() === "") return
      const message = parse(text)
      if (!(message instanceof Error)) {
        speaks = true
        transport.onmessage?.(message)
      } else if (speaks) transport.onerror?.(message)
      // Nobody listens before the connection. Such lines often say why there is none.
      else ears.stderr(`on standard output, which is for messages only: ${text.slice(0, ERRORS.chars)}`)
    },
    tooLong(head, tail) {
      const id = idIn(head) ?? idIn(tail)
      const message = `a message has more than ${most} bytes`
      transport.onerror?.(new Error(message))
      if (id !== undefined) transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: -32_603, message } })
    },
  })
  child.stdout?.on("data", read)
}

function parse(text: string): JSONRPCMessage | Error {
  try {
    return deserializeMessage(text)
  } catch {
    return new Error(`it wrote a line that is not a message: ${text.slice(0, 100)}`)
  }
}

/** Returns the response's id, found at either end of the message. */
function idIn(text: string): number | string | undefined {
  const found = /"id"\s*:\s*(\d+|"[^"]{1,100}")/.exec(text)?.[1]
  return found === undefined ? undefined : JSON.parse(found)
}

/** The most lines of standard error reported per second, and the most characters of each. */
const ERRORS = { lines: 50, chars: 1_000 }

function readErrors(child: ChildProcess, ears: DialEars): void {
  const pass = createPerSecond(ERRORS.lines, (count) => ears.stderr(`(${count} more lines were left out)`))
  const tell = (line: string): void => pass(() => ears.stderr(line.slice(0, ERRORS.chars)))
  child.stderr?.on("data", createLineReader(64_000, { line: tell, tooLong: tell }))
}

async function endProcess(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.stdin?.end()
  if (await within(exited, STEP_MS.input)) return
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    signalGroup(child, signal)
    if (await within(exited, STEP_MS[signal])) return
  }
}

async function within(done: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const inTime = await Promise.race([done.then(() => true), late])
  clearTimeout(timer)
  return inTime
}

function signalGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal)
  } catch {
    // The process has exited already.
  }
}

/** The listener of a line reader. */
interface LineEars {
  /** Receives a line, without its line end. */
  line(text: string): void
  /** Receives the first and last characters of a line that exceeds the limit. */
  tooLong(head: string, tail: string): void
}

const NEWLINE = 10

/** Creates a function that splits bytes into lines, holding at most `most` bytes. */
function createLineReader(most: number, { line, tooLong }: LineEars): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  let head: string | undefined
  let tail = ""
  const end = (): void => {
    if (head === undefined) line(Buffer.concat(parts).toString("utf8"))
    else tooLong(head, tail)
    parts = []
    size = 0
    head = undefined
  }
  const take = (part: Buffer): void => {
    if (head !== undefined) {
      tail = (tail + part.toString("utf8")).slice(-KEPT)
      return
    }
    parts.push(part)
    size += part.length
    if (size <= most) return
    const all = Buffer.concat(parts)
    head = all.subarray(0, KEPT).toString("utf8")
    tail = all.subarray(-KEPT).toString("utf8")
    parts = []
  }
  return (chunk) => {
    let rest = chunk
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      take(rest.subarray(0, at))
      end()
      rest = rest.subarray(at + 1)
    }
    if (rest.length > 0) take(rest)
  }
}

/** The characters kept from either end of an overlong line: enough for an id. */
const KEPT = 300
