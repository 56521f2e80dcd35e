import { action, createAgenticService, fail, type JsonSchema, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createManualClock, type ManualClock } from "../runtime/manual-clock.fixture.js"
import { type AnswerOptions, answer } from "./answer.fixture.js"
import type { Result } from "./handler.js"

/** Creates a board whose action `start` makes history, immediately or as `start` decides. */
function createBoard(start = (begin: () => void) => begin(), output?: JsonSchema) {
  const history = new BehaviorSubject(false)
  const count = new BehaviorSubject(0)
  const begin = (): void => {
    history.next(true)
    count.next(count.value + 1)
  }
  const description = "Make history"
  return createAgenticService({
    name: "board",
    states: { count: state({ schema: { type: "integer" }, value: count }) },
    actions: {
      start:
        output === undefined
          ? action({ description, execute: () => start(begin) })
          : action({
              description,
              output,
              execute: () => {
                start(begin)
                return { id: 1 }
              },
            }),
      undo: action({
        description: "Take back the last change. Only once.",
        input: { type: "object", properties: { steps: { type: "integer" } }, additionalProperties: false },
        when: history,
        execute: () => history.next(false),
      }),
      look: action({ description: "Look", readOnly: true, execute: () => count.value }),
      toss: action({
        description: "Fail, but not without a trace",
        execute() {
          count.next(count.value + 1)
          return fail("it broke", { code: "broken" })
        },
      }),
    },
  })
}

function serveBoard(options: AnswerOptions = {}, ...board: Parameters<typeof createBoard>) {
  const { request, ledger } = answer(createBoard(...board), { catchUp: true, ...options })
  return { ledger, call: (name: string) => request("tools/call", { name }) }
}

const textsOf = (result: Result) => (result["content"] as { text: string }[]).map(({ text }) => text) // the shape of a tools/call result

describe("createTellChanges", () => {
  it("reports available actions and changed states after a call", async () => {
    const { call } = serveBoard()

    expect(textsOf(await call("start"))).toEqual([
      "done",
      [
        "\nSince the call began:",
        "can be called now:",
        "- undo { steps?: integer }: Take back the last change.",
        "changed states: count",
      ].join("\n"),
    ])
  })

  it("reports actions that can no longer be called", async () => {
    const { call } = serveBoard()
    await call("start")

    expect(textsOf(await call("undo"))[1]).toContain("cannot be called now: undo")
  })

  it("adds nothing without changes", async () => {
    expect(textsOf(await serveBoard().call("look"))).toEqual(['{"result":0}'])
  })

  it("reports changes after a failing call, too", async () => {
    const result = await serveBoard().call("toss")

    expect(result).toMatchObject({ isError: true })
    expect(textsOf(result)).toEqual(["it broke (broken)", expect.stringContaining("changed states: count")])
  })

  it("omits states with the state mode `omit`", async () => {
    const { call } = serveBoard({ states: "omit" })

    expect(textsOf(await call("start")).join()).not.toContain("count")
    expect(textsOf(await call("toss"))).toEqual(["it broke (broken)"])
  })

  it("names states by URI when only resources show them", async () => {
    const { call } = serveBoard({ states: "resources" })

    expect(textsOf(await call("start"))[1]).toContain("changed states: agentic://board/count")
  })

  it("reports nothing when switched off", async () => {
    expect(textsOf(await serveBoard({ catchUp: false }).call("start"))).toEqual(["done"])
  })

  it("omits entries that are denied to the caller", async () => {
    const { call } = serveBoard({
      allow: ({ kind, ...entry }) => kind === "link" || !("key" in entry) || entry.key !== "undo",
    })

    const text = textsOf(await call("start"))[1]

    expect(text).toContain("count")
    expect(text).not.toContain("undo")
  })

  it("adds the changes to a structured result, and so to its text", async () => {
    const { call } = serveBoard({}, undefined, { type: "object", properties: { id: { type: "integer" } } })

    const result = await call("start")

    expect(result["structuredContent"]).toEqual({
      id: 1,
      changes: {
        available: [{ name: "undo", arguments: "{ steps?: integer }", description: "Take back the last change." }],
        statesChanged: ["count"],
      },
    })
    expect(textsOf(result).map((text) => JSON.parse(text))).toEqual([result["structuredContent"]])
  })

  it("keeps a structured result that has `changes` of its own", async () => {
    const { call } = serveBoard({}, undefined, { type: "object", properties: { changes: { type: "integer" } } })

    const result = await call("start")

    expect(result["structuredContent"]).toEqual({ id: 1 })
    expect(textsOf(result)).toEqual(['{"id":1}', expect.stringContaining("can be called now")])
  })

  it("waits for a change that comes a little later", async () => {
    const clock = createManualClock()
    const { call, ledger } = serveBoard({ clock }, (begin) => void clock.after(80, begin))
    const result = call("start")
    await until(() => clock.waiting() === 2)

    clock.advance(80)

    expect(textsOf(await result)[1]).toContain("can be called now")
    expect(ledger.counts()).toMatchObject({ timer: 0 })
  })

  it("waits a limited time, and stops waiting for actions without changes", async () => {
    const clock = createManualClock()
    const { call } = serveBoard({ clock }, () => {})
    for (let round = 0; round < 3; round += 1) {
      const result = call("start")
      await until(() => clock.waiting() === 1)
      clock.advance(100)
      expect(textsOf(await result)).toEqual(["done"])
    }

    expect(textsOf(await call("start"))).toEqual(["done"])
  })

  it("does not wait for actions with immediate changes, nor for read-only ones", async () => {
    let silent = false
    const { call } = serveBoard({ clock: createManualClock() }, (begin) => (silent ? undefined : begin()))
    await call("start")
    silent = true

    expect(textsOf(await call("start"))).toEqual(["done"])
    expect(textsOf(await call("look"))).toEqual(['{"result":1}'])
  })

  it("waits for the application to settle when asked to, then reports everything", async () => {
    const clock = createManualClock()
    const later = [20, 60, 90]
    const { call } = serveBoard({ clock, settle: { quietMs: 50, limitMs: 1_000 } }, (begin) => {
      for (const milliseconds of later) clock.after(milliseconds, begin)
    })
    const result = call("start")
    await until(() => clock.waiting() === 4)

    for (const milliseconds of [20, 40, 30, 50]) await pass(clock, milliseconds)

    expect(textsOf(await result)[1]).toContain("changed states: count")
  })

  it("reports when the application did not settle in time, even without a catch-up", async () => {
    const clock = createManualClock()
    const { call } = serveBoard({ clock, catchUp: false, settle: { quietMs: 50, limitMs: 100 } }, (begin) => {
      for (const milliseconds of [40, 80]) clock.after(milliseconds, begin)
    })
    const result = call("start")
    await until(() => clock.waiting() === 3)

    for (const milliseconds of [40, 40, 20]) await pass(clock, milliseconds)

    expect(textsOf(await result)[1]).toContain("had not settled 100 ms after the call")
  })
})

/** Waits, task by task, for a condition. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances the clock, then runs the resulting work. */
async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advance(milliseconds)
  await new Promise((resolve) => setImmediate(resolve))
}
