import { isRecord } from "@x/tool-schemas/json"
import type { Frame, StartFrame } from "../frames/frame.js"
import { LiveViewError } from "../live-view-error.js"

/** What happened in an adapter, in order, from a start. */
export interface Recording {
  /** How everything was when it began. */
  readonly start: StartFrame
  /** What happened then, in order. */
  readonly frames: readonly Frame[]
}

/** What the first line of a recording says it is. */
export const FORMAT: string = "agentic-recording"
/** Which of its versions is written. */
export const VERSION: number = 1

/**
 * Reads the text of a recording: JSON, a line for how it began and one for each thing that happened.
 *
 * @throws LiveViewError `invalid_recording`, which names the line.
 */
export function parseRecording(text: string): Recording {
  const [first = "", ...rest] = text.split("\n").filter((line) => line.trim() !== "")
  const head = parseLine(first, 1)
  if (head["format"] !== FORMAT || !isRecord(head["start"]))
    throw invalid(1, `expected the beginning of a recording, with "format": "${FORMAT}"`)
  if (head["version"] !== VERSION) throw invalid(1, `it is of version ${String(head["version"])}: expected ${VERSION}`)
  const frames = rest.map((line, index) => {
    const frame = parseLine(line, index + 2)
    if (typeof frame["type"] !== "string" || typeof frame["at"] !== "number")
      throw invalid(index + 2, 'expected a frame, with "type" and "at"')
    return frame
  })
  // Both were written by `record`; who reads them takes each field as it comes.
  return { start: head["start"] as unknown as StartFrame, frames: frames as unknown as readonly Frame[] }
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
  return new LiveViewError("invalid_recording", `line ${line} of the recording: ${what}`, options)
}
