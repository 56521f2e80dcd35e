import type { McpAdapter } from "@x/mcp-adapter"
import type { Frame, StartFrame } from "../frames/frame.js"
import { WHOLE } from "../frames/take-json.js"
import { watchAdapter } from "../frames/watch-adapter.js"
import type { WatchOptions } from "../live-view-options.js"
import { FORMAT, type Recording, VERSION } from "./parse-recording.js"

/** Options of a recording. */
export interface RecordOptions extends WatchOptions {
  /** The most characters of the recording's text. It stops at that size. Default 20,000,000. */
  readonly maxChars?: number
}

/** A running recording. */
export interface Recorder {
  /** Resolves once recording has begun. Earlier events are not recorded. */
  readonly ready: Promise<void>
  /** Returns the events so far, or `undefined` before it is ready. */
  recording(): Recording | undefined
  /** Returns the text of a file, which {@link parseRecording} accepts. Empty before it is ready. */
  toText(): string
  /** Whether it stopped at its size limit. */
  full(): boolean
  /** Stops recording; recorded events stay. Idempotent. */
  close(): void
}

/**
 * Records the changes, calls and notices of an adapter in order, one frame each. To replay a recording as a test, record
 * arguments: `show: { arguments: true }`, or `true`.
 *
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { record } from "@x/live-view"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const recorder = record(adapter, { show: true })
 * await recorder.ready
 * await adapter.call("greet")
 * console.log(recorder.recording()?.frames.map(({ type }) => type)) // [ 'call', 'call' ]
 * recorder.close()
 * adapter.close()
 * ```
 */
export function record(adapter: McpAdapter, options: RecordOptions = {}): Recorder {
  const { maxChars = 20_000_000, ...watching } = options
  const watch = watchAdapter(adapter, { ...watching, windowMs: 0, room: WHOLE })
  const lines: string[] = []
  const frames: Frame[] = []
  let start: StartFrame | undefined
  let chars = 0
  let full = false
  const write = (line: unknown): boolean => {
    const text = JSON.stringify(line)
    chars += text.length + 1
    full = chars > maxChars
    if (full) watch.close()
    else lines.push(text)
    return !full
  }
  const ready = watch.ready.then(() => {
    start = watch.start()
    write({ format: FORMAT, version: VERSION, start })
    watch.frames.subscribe((portion) => {
      for (const frame of portion) if (write(frame)) frames.push(frame)
    })
  })
  return {
    ready,
    recording: () => start && { start, frames: [...frames] },
    toText: () => (lines.length === 0 ? "" : `${lines.join("\n")}\n`),
    full: () => full,
    close: watch.close,
  }
}
