import type { Report } from "../../runtime/diagnostic.js"
import { once } from "../../runtime/once.js"

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
export function claimStdout(report: Report): ClaimedStdout {
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
export function takeStdin(take: (bytes: Uint8Array) => void, ended: () => void): () => void {
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
export interface LineTaker {
  /** Takes a line, without its end; blank ones are left out. */
  line(text: string): void
  /** Runs when a line is longer than may be, once for each; the rest of it is thrown away. */
  tooLong(): void
}

/**
 * Cuts a stream of bytes into lines of UTF-8: a character may be cut by the stream, lines end in LF or CRLF, and a byte order
 * mark at the start is no part of the first. A line that never ends holds no more than the limit.
 *
 * @param limit - The most bytes of a line.
 * @returns Takes the next bytes.
 */
export function createLineReader(limit: number, { line, tooLong }: LineTaker): (bytes: Uint8Array) => void {
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
  return (bytes) => {
    let start = 0
    for (let newline = bytes.indexOf(LF); newline >= 0; newline = bytes.indexOf(LF, start)) {
      add(bytes.subarray(start, newline))
      end()
      start = newline + 1
    }
    if (start < bytes.length) add(bytes.subarray(start))
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
