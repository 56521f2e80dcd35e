import { action, createAgenticService } from "@x/agentic-service"
import { type AdapterEvent, createMcpAdapter } from "@x/mcp-adapter"
import { describe, expect, it } from "vitest"
import { toCaptions } from "../element/captions.js"
import { type CallEvent, createCallLog } from "./call-log.js"
import { WHOLE } from "./take-json.js"

/** Plays one call of a real adapter, and hands its events, with a report of further changes, to a log. */
async function playCall() {
  const run = action({ description: "Run", execute: () => undefined })
  const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { run } }))
  const { view, release } = adapter.core.open(undefined)
  const shows = { arguments: true, results: true, values: true }
  const log = createCallLog({ view, nameOf: ({ name }) => name, shows, room: WHOLE, kept: 10, most: 10 })
  const events: CallEvent[] = []
  adapter.events.subscribe((event: AdapterEvent) => {
    if (event.type === "call-started" || event.type === "call-settled") events.push(event)
  })
  await adapter.call("run")
  const take = (event: CallEvent, at: number) => log.take(log.note(event, true), at)
  const [started] = events
  if (started?.type !== "call-started") throw new Error("expected a started call")
  const settle = (at: number) => {
    for (const event of events.slice(1)) take(event, at)
  }
  const addChanges = (at: number) => {
    const diff = view.diffSince(view.revision())
    if (diff === undefined) throw new Error("expected a diff")
    const { type: _, ...call } = started
    log.take({ event: { ...call, type: "call-caught-up", diff }, revision: view.revision(), changed: ["~open"] }, at)
  }
  take(started, 0)
  const captions = () => log.takeChanged().calls.flatMap((call) => toCaptions(call).map(({ text }) => text))
  const close = () => {
    release()
    adapter.close()
  }
  return { settle, addChanges, captions, close }
}

describe("createCallLog", () => {
  it("reports a completion once, and then the changes that follow it", async () => {
    const { settle, addChanges, captions, close } = await playCall()
    captions()

    settle(50)
    expect(captions()).toEqual([expect.stringContaining("run completed")])
    addChanges(60)
    expect(captions()).toEqual([])
    close()
  })

  it("reports a completion that is noted together with its changes, however late", async () => {
    const { settle, addChanges, captions, close } = await playCall()
    captions()

    settle(500)
    addChanges(900)

    expect(captions()).toEqual([expect.stringContaining("run completed")])
    close()
  })
})
