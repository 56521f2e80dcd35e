import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createPicture } from "../frames/picture.js"
import { parseRecording } from "./parse-recording.js"
import { type RecordOptions, record } from "./record.js"

async function recordCounter(options: RecordOptions = { show: true }) {
  const count$ = new BehaviorSubject(0)
  const service = createAgenticService({
    name: "counter",
    states: { count: state({ description: "The count", schema: { type: "number" }, value: count$ }) },
    actions: {
      up: action({ description: "Counts up", execute: () => count$.next(count$.value + 1) }),
      reset: action({
        description: "Begins again",
        when: { is: new BehaviorSubject(false), otherwise: "never" },
        execute: () => count$.next(0),
      }),
    },
  })
  const adapter = createMcpAdapter(service)
  const recorder = record(adapter, options)
  onTestFinished(() => {
    recorder.close()
    adapter.close()
  })
  await recorder.ready
  return { adapter, recorder, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe("record", () => {
  it("records every call and change in order, with their values", async () => {
    const { adapter, recorder, settled } = await recordCounter()
    for (const _ of [1, 2]) {
      await adapter.call("up")
      await settled()
    }

    const { frames = [] } = recorder.recording() ?? {}
    const told = frames.filter(({ type }) => type === "call" || type === "change")
    expect(
      told.map((frame) => (frame.type === "call" ? frame.status : frame.type === "change" && frame.values?.[0]?.value)),
    ).toEqual(["running", "ok", 1, "running", "ok", 2])
  })

  it("is restored from its text, with the same picture", async () => {
    const { adapter, recorder, settled } = await recordCounter()
    await adapter.call("up")
    await settled()

    const read = parseRecording(recorder.toText())
    expect(read).toEqual(JSON.parse(JSON.stringify(recorder.recording())))
    const keeper = createPicture(read.start)
    for (const frame of read.frames) keeper.apply(frame)
    expect([...keeper.picture.states.values()]).toMatchObject([{ value: 1, changes: 1 }])
    expect(keeper.picture.tools.get("reset")).toMatchObject({ available: false, reason: "never" })
  })

  it("contains no values by default", async () => {
    const { adapter, recorder, settled } = await recordCounter({})
    await adapter.call("up")
    await settled()

    expect(recorder.toText()).not.toMatch(/"value"|"args"|"result"/)
  })

  it("stops at its size limit", async () => {
    const { adapter, recorder, settled } = await recordCounter({ show: true, maxChars: 5_000 })
    for (let count = 0; count < 50; count += 1) await adapter.call("up")
    await settled()

    expect(recorder.full()).toBe(true)
    expect(recorder.toText().length).toBeLessThanOrEqual(5_000)
    expect(parseRecording(recorder.toText()).frames.length).toBeGreaterThan(0)
  })
})

describe("parseRecording", () => {
  it.each([
    ["text that is not JSON", "what", "line 1 of the recording: expected JSON"],
    ["something else", "{}", "line 1 of the recording: expected the start"],
    ["a later version", '{"format":"agentic-recording","version":9,"start":{}}', "found version 9, expected 1"],
    [
      "an invalid start",
      '{"format":"agentic-recording","version":1,"start":{}}',
      "line 1 of the recording: Invalid key",
    ],
  ])("rejects %s, and says where", (_, text, message) => {
    expect(() => parseRecording(text)).toThrow(message)
  })
})
