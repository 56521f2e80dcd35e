import { isRecord } from "@x/tool-schemas/json"
import type { Frame, StartFrame } from "../frames/frame.js"
import { LiveViewError } from "../live-view-error.js"
import { type Fault, readFrame, readStart } from "./frame-shape.js"

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
  if (head["format"] !== FORMAT) throw invalid(1, `expected the beginning of a recording, with "format": "${FORMAT}"`)
  if (head["version"] !== VERSION) throw invalid(1, `it is of version ${String(head["version"])}: expected ${VERSION}`)
  return {
    start: good(readStart(head["start"]), 1),
    frames: rest.map((line, index) => good(readFrame(parseLine(line, index + 2)), index + 2)),
  }
}

/** A file may come from anybody. */
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
  return new LiveViewError("invalid_recording", `line ${line} of the recording: ${what}`, options)
}
