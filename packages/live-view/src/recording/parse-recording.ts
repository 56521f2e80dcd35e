import { isRecord } from "@x/base"
import type { Frame, StartFrame } from "../frames/frame.js"
import { LiveViewError } from "../live-view-error.js"
import { type Fault, readFrame, readStart } from "./frame-shape.js"

/** An adapter's events in order, from a start. */
export interface Recording {
  /** The state at the start. */
  readonly start: StartFrame
  /** The later events, in order. */
  readonly frames: readonly Frame[]
}

/** The format name in the first line of a recording. */
export const FORMAT: string = "agentic-recording"
/** The written version of the format. */
export const VERSION: number = 1

/**
 * Parses the text of a recording: JSON lines, first the start, then one line per event.
 *
 * @throws LiveViewError `invalid_recording`, which names the line.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { parseRecording, record } from "@x/live-view"
 * import { createMcpAdapter } from "@x/mcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const adapter = createMcpAdapter(createAgenticService({ name: "door", actions: { greet } }))
 * const recorder = record(adapter)
 * await recorder.ready
 * await adapter.call("greet")
 * const { start, frames } = parseRecording(recorder.toText())
 * console.log(start.tools.map(({ name }) => name), frames.length) // [ 'greet' ] 2
 * recorder.close()
 * adapter.close()
 * ```
 */
export function parseRecording(text: string): Recording {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "")
  const head = parseLine(first, 1)
  if (head["format"] !== FORMAT) throw invalid(1, `expected the start of a recording, with "format": "${FORMAT}"`)
  if (head["version"] !== VERSION) throw invalid(1, `found version ${String(head["version"])}, expected ${VERSION}`)
  return {
    start: good(readStart(head["start"]), 1),
    frames: rest.map((line, index) => good(readFrame(parseLine(line, index + 2)), index + 2)),
  }
}

/** Files may come from anyone. */
function good<Shape extends object>(read: Shape | Fault, line: number): Shape {
  if ("fault" in read) throw invalid(line, read.fault)
  return read
}

function parseLine(line: string, number: number): Readonly<Record<string, unknown>> {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (cause) {
    throw invalid(number, "expected JSON", { cause })
  }
  if (!isRecord(json)) throw invalid(number, "expected an object")
  return json
}

function invalid(line: number, what: string, options?: ErrorOptions): LiveViewError {
  return new LiveViewError(`line ${line} of the recording: ${what}`, { code: "invalid_recording", ...options })
}
