import type { Progress } from "@x/agentic-service"
import type { Options, Params } from "cli-progress"
import { toLine } from "./display.js"

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
