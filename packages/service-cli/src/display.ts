import type { Progress } from "@x/agentic-service"
import type { Options, Params } from "cli-progress"

// Text of services and models is shown and never obeyed: it must not move the cursor, nor hide or reorder text.

/** Formats a message of several lines, with control characters shown as escapes, such as `\x1b`. */
export function showText(message: string): string {
  return withoutSecrets(message.replace(/\r\n/g, "\n")).replace(CONTROLS, show)
}

/** Formats a message on one line, with control characters shown as escapes. */
export function toLine(message: string): string {
  return showText(message.replace(/\s+/g, " ")).trim()
}

/** Serializes a value as JSON that is safe on a terminal: control characters that JSON allows are escaped. */
export function toJsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent).replace(CONTROLS, (found) =>
    found === "\n" || found === "\t" ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** All control characters but tab and line feed, and characters that change the text direction or break lines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern finds them.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function show(found: string): string {
  const code = found.charCodeAt(0)
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`
}

const secrets = new Set<string>()

/** Hides a text in all later messages and logs, unless it is too short to be recognized. */
export function hideSecret(secret: string): void {
  if (secret.length >= SHORTEST_SECRET) secrets.add(secret).add(JSON.stringify(secret).slice(1, -1))
}

const SHORTEST_SECRET = 4

/** Replaces secrets in a text by stars. */
export function withoutSecrets(text: string): string {
  let shown = text
  for (const secret of secrets) shown = shown.replaceAll(secret, "***")
  return shown
}

/** Writes a message for people to standard error, after the command's name. */
export function printMessage(name: string, message: string): void {
  process.stderr.write(`${showText(`${name}: ${message}`)}\n`)
}

/**
 * Writes to standard output, and resolves once it accepts more. A reader that has closed, such as `head`, is not an error. Any
 * other failure is returned by {@link outputFault} afterwards.
 */
export function print(text: string): Promise<void> {
  const { stdout } = process
  if (!stdout.listeners("error").includes(noteFault)) stdout.on("error", noteFault)
  return new Promise((resolve) => void stdout.write(text, () => resolve()))
}

let fault: string | undefined

function noteFault(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") fault ??= error.message
}

/** Returns why output could not be written, such as a full disk, or `undefined`. */
export function outputFault(): string | undefined {
  return fault
}

/** The terminal of a person: standard input and standard error, if both are a terminal. */
export interface Terminal {
  /** The person's input. */
  readonly input: NodeJS.ReadStream
  /** The output for questions. */
  readonly output: NodeJS.WriteStream
}

/** Returns the process's terminal, or `undefined` if it has none. */
export function findTerminal(): Terminal | undefined {
  const { stdin, stderr } = process
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined
}

/** Shows a call's progress. */
export interface ProgressBar {
  /** Shows progress on one line, which replaces the last. */
  show(progress: Progress): void
  /** Removes the line; idempotent. */
  clear(): void
}

/** Creates a progress bar, which appears with the first progress. */
export async function createProgressBar(output: NodeJS.WriteStream): Promise<ProgressBar> {
  // Imported only if it is used. CommonJS modules have no named imports.
  const { default: cliProgress } = await import("cli-progress")
  const bar = new cliProgress.SingleBar({
    stream: output,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
    format: (options: Options, { value, total, progress }: Params, { known, message }: Payload) => {
      // With a known total a bar, otherwise only the progress so far.
      const share = Math.min(1, Math.max(0, progress))
      const drawn = known ? `${cliProgress.Format.BarFormat(share, options)} ${value}/${total}` : `… ${value}`
      return `${drawn} ${message}`.trimEnd()
    },
  })
  let shown = false
  return {
    show({ progress, total, message = "" }) {
      const payload: Payload = { message: toLine(message), known: total !== undefined }
      if (!shown) bar.start(total ?? progress, progress, payload)
      shown = true
      bar.setTotal(total ?? progress)
      bar.update(progress, payload)
    },
    clear() {
      if (shown) bar.stop()
      shown = false
    },
  }
}

/** The bar's further data. */
interface Payload {
  readonly known: boolean
  readonly message: string
}
