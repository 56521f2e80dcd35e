import type { McpAdapter } from "@x/mcp-adapter"
import type { Frame, StartFrame } from "../frames/frame.js"
import { WHOLE } from "../frames/take-json.js"
import { watchAdapter } from "../frames/watch-adapter.js"
import type { WatchOptions } from "../live-view-options.js"
import { FORMAT, type Recording, VERSION } from "./parse-recording.js"

/** How much is recorded. */
export interface RecordOptions extends WatchOptions {
  /** The most characters that a recording has as text; then it stops. Default 20,000,000. */
  readonly maxChars?: number
}

/** A recording that is being made. */
export interface Recorder {
  /** Resolves once it has begun: what happened before is not in it. */
  readonly ready: Promise<void>
  /** What is recorded so far. Before it is ready there is nothing. */
  recording(): Recording | undefined
  /** It as the text of a file: {@link parseRecording} takes it. Empty before it is ready. */
  toText(): string
  /** Whether it stopped because it is as large as it may be. */
  full(): boolean
  /** Stops; what is recorded stays. Idempotent. */
  close(): void
}

/**
 * Records what happens in an adapter: each change, call and notice in the order of happening, one frame each. To be played
 * again as a test, calls have to be recorded with their arguments: `show: { arguments: true }`, or `true`.
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
