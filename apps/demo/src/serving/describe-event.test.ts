import { createMcpAdapter } from "@x/mcp-adapter"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createBoardStore } from "../board/create-board-store.js"
import { createBoardService } from "../services/create-board-service.js"
import { describeEvent } from "./describe-event.js"

/** A board and the lines that tell what happens to it, without the times calls take. */
function log() {
  const adapter = createMcpAdapter(createBoardService(createBoardStore()))
  onTestFinished(adapter.close)
  const lines: string[] = []
  adapter.events.subscribe((event) => {
    lines.push(...describeEvent(event).map((line) => line.replace(/ in \d+ ms$/, "")))
  })
  const changed = () => firstValueFrom(adapter.events.pipe(filter((event) => event.type === "changed")))
  return { call: adapter.call, changed, lines }
}

describe("describeEvent", () => {
  it("describes a call's answer and its effect", async () => {
    const { call, changed, lines } = log()
    await Promise.all([changed(), call("add", { title: "Water the plants" })])

    expect(lines).toEqual([
      'call     add answered {"id":"c4"}',
      "+ tools  undo",
      "~ values cards, columns/todo/cards, summary",
    ])
  })

  it("tells what went", async () => {
    const { call, changed, lines } = log()
    await Promise.all([changed(), call("open_card", { id: "c1" })])
    lines.length = 0
    await Promise.all([changed(), call("open__close")])

    expect(lines).toEqual([
      "call     open__close done",
      "- tools  open__close, open__comment, open__complete, open__edit, open__move",
      "- links  open",
    ])
  })

  it("tells why a call failed, on one line", async () => {
    const { call, lines } = log()
    await call("add", {})

    expect(lines).toEqual([
      'call     add failed, invalid_input: the arguments of "add" are not valid: - /title: is missing',
    ])
  })

  it("tells the beginning of a long answer", () => {
    const value = "x".repeat(200)
    const call = { id: "1", name: "get_state", view: "v", client: "test", args: {} }
    const leg = { transport: "stdio", era: "legacy", notices: true } as const

    const [line] = describeEvent({ type: "call-settled", ...call, leg, outcome: { ok: true, value }, duration: 1 })

    expect(line).toMatch(/^call {5}get_state answered "x{98}… in 1 ms$/)
  })

  it("breaks a long answer off after a word", () => {
    const value = { text: "Water the plants in the garden ".repeat(10) }
    const call = { id: "1", name: "read", view: "v", client: "test", args: {} }
    const leg = { transport: "stdio", era: "legacy", notices: true } as const

    const [line] = describeEvent({ type: "call-settled", ...call, leg, outcome: { ok: true, value }, duration: 1 })

    expect(line).toMatch(/ (Water|the|plants|in|garden)… in 1 ms$/)
  })

  it("tells an operator's notes", () => {
    const diagnostic = { code: "peer_dropped", message: "a client left too much unread" } as const

    expect(describeEvent({ type: "diagnostic", diagnostic })).toEqual([
      "note     peer_dropped: a client left too much unread",
    ])
  })
})
