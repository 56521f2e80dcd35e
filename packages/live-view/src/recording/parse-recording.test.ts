import { action, createAgenticService, link, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { toCaptions } from "../element/captions.js"
import { createPlayer } from "../element/player.js"
import { LiveViewError } from "../live-view-error.js"
import { parseRecording } from "./parse-recording.js"
import { record } from "./record.js"

/** Records frames of every kind, as lines. */
async function recordLines(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const on$ = new BehaviorSubject(false)
  const room = createAgenticService({
    name: "room",
    states: { on: state({ description: "Whether it is on", schema: { type: "boolean" }, value: on$ }) },
    actions: {
      toggle: action({ title: "Toggle", description: "Turns it on or off", execute: () => on$.next(!on$.value) }),
      off: action({ description: "Off", when: { is: on$, otherwise: "it is off" }, execute: () => on$.next(false) }),
    },
    links: { lamp: link({ description: "The lamp", service: createAgenticService({ name: "lamp" }) }) },
  })
  const adapter = createMcpAdapter(room, { instructions: "Switch it" })
  const recorder = record(adapter, { show: true })
  onTestFinished(() => {
    recorder.close()
    adapter.close()
  })
  await recorder.ready
  for (const name of ["toggle", "off", "off"]) {
    await adapter.call(name, {}, { client: "ann" })
    await new Promise((resolve) => setImmediate(resolve))
  }
  const more = [
    { type: "note", at: 9, code: "odd", message: "It is odd" },
    { type: "skipped", at: 9, calls: 3 },
    { type: "notice", at: 9, kind: "updated", uri: "agentic://room/on" },
    { type: "clients", at: 9, clients: [], more: 0 },
  ]
  return [...recorder.toText().split("\n"), ...more.map((frame) => JSON.stringify(frame))]
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** Returns the paths of all places in a value. */
function placesIn(value: unknown, from: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [from]
  return [from, ...Object.entries(value).flatMap(([key, each]) => placesIn(each, [...from, key]))]
}

/** Replaces the value at a path, or removes it if the new value is `undefined`. */
function put(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other
  const copy: Record<string, unknown> = Array.isArray(value) ? Object([...value]) : { ...Object(value) }
  if (rest.length === 0 && other === undefined) delete copy[key]
  else copy[key] = put(copy[key], rest, other)
  return copy
}

const toText = (lines: readonly unknown[]) => lines.map((line) => JSON.stringify(line)).join("\n")

describe("parseRecording", () => {
  it("accepts only files that can be played, wherever a file was changed", async () => {
    const lines = await recordLines()
    const places = lines.flatMap((line, index) => placesIn(line, [String(index)]))
    const others = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }), fc.constant("%"), fc.constant([[]]))
    let taken = 0

    fc.assert(
      fc.property(fc.constantFrom(...places), others, (place, other) => {
        const text = toText(Object.values(Object(put(lines, place, other))))
        try {
          const player = createPlayer(parseRecording(text))
          for (let index = 0; index <= player.length; index += 1) {
            player.seek(index)
            toCaptions(player.current())
          }
          taken += 1
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(LiveViewError)
        }
      }),
      { numRuns: 1_500 },
    )
    expect(taken).toBeGreaterThan(50)
  })

  it("returns every written frame unchanged", async () => {
    const lines = await recordLines()

    const { start, frames } = parseRecording(toText(lines))

    expect([{ ...lines[0], start }, ...frames]).toEqual(lines)
    expect(new Set(frames.map(({ type }) => type))).toEqual(
      new Set(["call", "change", "note", "skipped", "notice", "clients"]),
    )
  })

  it("rejects a value that is nested too deep to be drawn", async () => {
    const [head, ...frames] = await recordLines()
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    const call = JSON.stringify(frames.find(({ type }) => type === "call")).replace(/"args":\{\}/, `"args":${deep}`)

    expect(() => parseRecording(`${JSON.stringify(head)}\n${call}`)).toThrow(/line 2 .*at most 100 levels, at "args"/)
  })

  it("rejects infinite numbers", async () => {
    const [head] = await recordLines()

    expect(() => parseRecording(`${JSON.stringify(head)}\n{"type":"skipped","at":1e999,"calls":1}`)).toThrow(
      'line 2 of the recording: Invalid finite: Received Infinity, at "at"',
    )
  })
})
