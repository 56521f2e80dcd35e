import type { Progress } from "@x/agentic-service"
// Its names cannot be imported one by one: it is CommonJS.
import cliProgress, { type Options, type Params } from "cli-progress"
import { toLine } from "./write.js"

/** Shows how far a call is. */
export interface ProgressBar {
  /** Shows it, on one line, in place of what was shown before. */
  show(progress: Progress): void
  /** Takes the line away; idempotent. */
  clear(): void
}

/** A bar on a terminal, there from the first progress on. */
export function createProgressBar(output: NodeJS.WriteStream): ProgressBar {
  const bar = new cliProgress.SingleBar({
    stream: output,
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
    format,
  })
  let shown = false
  return {
    show({ progress, total, message = "" }) {
      const payload = { message: toLine(message), known: total !== undefined }
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

/** A bar where the whole is known, else only how much has been done. */
function format(options: Options, { value, total, progress }: Params, { known, message }: Payload): string {
  const line = known ? `${bar(progress, options)} ${value}/${total} ${message}` : `… ${value} ${message}`
  return line.trimEnd()
}

/** What goes with each progress. */
interface Payload {
  readonly known: boolean
  readonly message: string
}

function bar(progress: number, options: Options): string {
  return cliProgress.Format.BarFormat(Math.min(1, Math.max(0, progress)), options)
}
