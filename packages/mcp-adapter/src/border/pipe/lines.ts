import { createDeferred, type Deferred } from "@x/base"

/** Receives the lines of a byte stream. */
export interface LineTaker {
  /** Takes a line without its line break; blank lines are skipped. */
  line(text: string): void
  /** Runs once for each line over the limit; the rest of that line is discarded. */
  tooLong(): void
}

/** Splits a byte stream into lines. */
export interface LineReader {
  /** Takes the next bytes. */
  take(bytes: Uint8Array): void
  /** Ends the stream: passes on an unfinished last line. */
  end(): void
}

/**
 * Creates a reader that splits bytes into lines of UTF-8. Chunks may split a character, lines end in LF or CRLF, a byte order
 * mark at the start is skipped, and the last line needs no line break. A line that never ends uses no more memory than the
 * limit.
 *
 * @param limit - The most bytes of a line.
 */
export function createLineReader(limit: number, { line, tooLong }: LineTaker): LineReader {
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

/** Writes lines in batches. */
export interface LineWriter {
  /** Adds a line to the batch; resolves once the batch is written. */
  write(line: string): Promise<void>
  /** Writes the batch now. */
  flush(): void
}

/** Creates a writer that writes the lines of one turn of the event loop together, because each write costs a system call. */
export function createLineWriter(send: (text: string, done: (error?: Error | null) => void) => void): LineWriter {
  let batch: { text: string; readonly written: Deferred<void> } | undefined
  const flush = (): void => {
    if (batch === undefined) return
    const { text, written } = batch
    batch = undefined
    send(text, (error) => (error ? written.reject(error) : written.resolve()))
  }
  return {
    flush,
    write(line) {
      if (batch === undefined) {
        batch = { text: "", written: createDeferred<void>() }
        setImmediate(flush)
      }
      batch.text += `${line}\n`
      return batch.written.promise
    },
  }
}
