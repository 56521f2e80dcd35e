import type { Observable } from "rxjs"

/** The part of a terminal that a status line uses. */
export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** A terminal whose last line is the newest status, below everything else that is printed. */
export interface StatusLine {
  /** Prints a line above the status. */
  tell(line: string): void
  /** Removes the status; idempotent. */
  close(): void
}

/** Shows the newest status in a terminal's last line. Output that goes elsewhere, such as a file, gets no status. */
export function createStatusLine(status: Observable<string>, terminal: Terminal): StatusLine {
  if (terminal.isTTY !== true) return { tell: (line) => void terminal.write(`${line}\n`), close() {} }
  let shown = ""
  const following = status.subscribe((text) => {
    // A longer line would wrap, and only its last part could be replaced.
    shown = text.slice(0, (terminal.columns ?? 80) - 1)
    terminal.write(CLEAR + shown)
  })
  return {
    tell: (line) => void terminal.write(`${CLEAR}${line}\n${shown}`),
    close() {
      if (following.closed) return
      following.unsubscribe()
      terminal.write(CLEAR)
    },
  }
}

/** Returns to the beginning of the line, and erases it. */
const CLEAR = "\r\u001b[K"
