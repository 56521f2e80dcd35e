import type { Progress } from "@x/agentic-service"
import type { Options, Params } from "cli-progress"
import fastStringWidth from "fast-string-width"
import { wrapAnsi } from "fast-wrap-ansi"

// What services and models say is shown, never obeyed: nothing of it may move the cursor, hide or reorder what is read.

/** A message of several lines, with whatever would control a terminal shown as what it is, such as `\x1b`. */
export function showText(message: string): string {
  return withoutSecrets(message.replace(/\r\n/g, "\n")).replace(CONTROLS, show)
}

/** A message on one line, with whatever would control a terminal shown as what it is. */
export function toLine(message: string): string {
  return showText(message.replace(/\s+/g, " ")).trim()
}

/** A value as JSON that a terminal shows as it is: what JSON lets through and a terminal does not, is escaped. */
export function toJsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, undefined, indent).replace(CONTROLS, (found) =>
    found === "\n" || found === "\t" ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** The control characters but tab and line feed, and those that turn the direction of text, or end a line unseen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function show(found: string): string {
  const code = found.charCodeAt(0)
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`
}

const secrets = new Set<string>()

/** Keeps a text out of all that is shown to people and noted in logs from now on, unless it is too short to be told apart. */
export function hideSecret(secret: string): void {
  if (secret.length >= SHORTEST_SECRET) secrets.add(secret).add(JSON.stringify(secret).slice(1, -1))
}

const SHORTEST_SECRET = 4

/** A text with stars in place of the secrets in it. */
export function withoutSecrets(text: string): string {
  let shown = text
  for (const secret of secrets) shown = shown.replaceAll(secret, "***")
  return shown
}

/** Writes a message for people to standard error, under the command's name. */
export function tell(name: string, message: string): void {
  process.stderr.write(`${showText(`${name}: ${message}`)}\n`)
}

/**
 * Writes to standard output; resolves once it can take more. A reader that is gone, such as `head`, is no error; any other failure
 * is {@link outputFault} from then on.
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

/** Why something that was printed could not be written, such as a full disk; `undefined` if all of it was. */
export function outputFault(): string | undefined {
  return fault
}

/**
 * Makes a table with a line of titles, no wider than a terminal; empty where there are no rows. What is too long goes on
 * below, in its column.
 *
 * @param columns - How many characters wide it may be. A column gets at least 8, whatever that comes to.
 */
export function toTable(titles: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  if (rows.length === 0) return ""
  const all = [titles.map((title) => title.toUpperCase()), ...rows]
  const widths = fit(
    titles.map((_, column) => Math.max(...all.map((row) => fastStringWidth(row[column] ?? "")))),
    columns - GAP.length * (titles.length - 1),
  )
  return all.flatMap((row) => toLines(row, widths)).join("\n")
}

const GAP = "  "

/** Shares the room: who needs less than an equal part of it gets that, and the others what is left. */
function fit(needed: readonly number[], room: number): readonly number[] {
  const widths: number[] = [...needed]
  let left = room
  let open = needed.length
  for (const [column, width] of [...needed.entries()].sort(([, one], [, other]) => one - other)) {
    widths[column] = Math.min(width, Math.max(NARROWEST, Math.floor(left / open)))
    left -= widths[column] ?? 0
    open -= 1
  }
  return widths
}

const NARROWEST = 8

function toLines(row: readonly string[], widths: readonly number[]): readonly string[] {
  const cells = widths.map((width, column) => wrapAnsi(row[column] ?? "", width, { hard: true }).split("\n"))
  const height = Math.max(...cells.map((lines) => lines.length))
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => pad(lines[line] ?? "", widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - fastStringWidth(text)))
}

/** Where a person is asked: standard input and standard error, where both are a terminal. */
export interface Terminal {
  /** What the person types. */
  readonly input: NodeJS.ReadStream
  /** Where the questions are. */
  readonly output: NodeJS.WriteStream
}

/** The process's own terminal; `undefined` where it has none. */
export function findTerminal(): Terminal | undefined {
  const { stdin, stderr } = process
  return stdin.isTTY && stderr.isTTY ? { input: stdin, output: stderr } : undefined
}

/** Shows how far a call is. */
export interface ProgressBar {
  /** Shows it, on one line, in place of what was shown before. */
  show(progress: Progress): void
  /** Takes the line away; idempotent. */
  clear(): void
}

/** Makes a bar on a terminal, there from the first progress on. */
export async function createProgressBar(output: NodeJS.WriteStream): Promise<ProgressBar> {
  // Loaded for those who see it. Its names cannot be imported one by one: it is CommonJS.
  const { default: cliProgress } = await import("cli-progress")
  const bar = new cliProgress.SingleBar({
    stream: output,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
    format: (options: Options, { value, total, progress }: Params, { known, message }: Payload) => {
      // A bar where the whole is known, else only how much has been done.
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

/** What goes with each progress. */
interface Payload {
  readonly known: boolean
  readonly message: string
}
