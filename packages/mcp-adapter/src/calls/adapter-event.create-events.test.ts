import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type AdapterEvent, createEvents } from "./adapter-event.js"

const diagnostic: AdapterEvent = { type: "diagnostic", diagnostic: { code: "waiting", message: "it says nothing" } }
const started: AdapterEvent = {
  type: "call-started",
  id: "1",
  name: "add",
  view: "view-1",
  client: "test",
  leg: { transport: "stdio", era: "legacy", notices: true },
  args: { secret: 1 },
}

describe("createEvents", () => {
  it("replays earlier diagnostics, but no calls, to the first listener only", () => {
    const { emit, observable } = createEvents(() => undefined)
    emit(diagnostic)
    emit(started)
    const first: AdapterEvent[] = []
    const second: AdapterEvent[] = []

    observable.subscribe((event) => first.push(event))
    observable.subscribe((event) => second.push(event))

    expect([first, second]).toEqual([[diagnostic], []])
  })

  it("prints a diagnostic once while there is no listener, and never with a listener", () => {
    const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { emit, observable } = createEvents(() => undefined)

    emit(diagnostic)
    emit(diagnostic)
    observable.subscribe()
    emit({ type: "diagnostic", diagnostic: { code: "waiting", message: "it goes on saying nothing" } })

    expect(printed.mock.calls).toEqual([["@x/mcp-adapter: it says nothing (waiting)"]])
  })

  it("prints the thrown error unless the message contains it", () => {
    const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { emit } = createEvents(() => undefined)
    const failed = { code: "source_failed", message: 'state "n" failed' } as const

    emit({
      type: "diagnostic",
      diagnostic: { ...failed, cause: new TypeError("no user\n  at home", { cause: "away" }) },
    })
    emit({ type: "diagnostic", diagnostic: { ...failed, message: "it said: no", cause: "no" } })
    emit({ type: "diagnostic", diagnostic: { ...failed, message: "nothing is known", cause: "no" } })

    expect(printed.mock.calls).toEqual([
      ['@x/mcp-adapter: state "n" failed: TypeError: no user: away (source_failed)'],
      ["@x/mcp-adapter: it said: no (source_failed)"],
      ["@x/mcp-adapter: nothing is known: no (source_failed)"],
    ])
  })

  it("prints nothing that a terminal obeys, whoever's words they are", () => {
    const printed = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    onTestFinished(() => printed.mockRestore())
    const { emit } = createEvents(() => undefined)
    const odd = "a\u001b[2J\u009b31m\u202eb\u0007\u001b]0;title\u0007"

    emit({
      type: "diagnostic",
      diagnostic: {
        code: "member_invalid",
        message: `tool ${odd} is odd`,
        path: [odd],
        key: odd,
        cause: new Error(odd),
      },
    })

    const [[line]] = printed.mock.calls as [[string]] // One line was printed, or the next expectation fails.
    expect(line).toContain("@x/mcp-adapter: tool a[2J31mb]0;title is odd")
    expect(line).toMatch(/^[ -~]*$/)
  })

  it("emits later events to every listener", () => {
    const { emit, observable } = createEvents(() => undefined)
    const heard: AdapterEvent[] = []
    observable.subscribe((event) => heard.push(event))
    observable.subscribe((event) => heard.push(event))

    emit(started)

    expect(heard).toEqual([started, started])
  })
})
