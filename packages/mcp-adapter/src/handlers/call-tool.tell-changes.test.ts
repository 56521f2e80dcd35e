import { action, createAgenticService, fail, type JsonSchema, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import { createManualClock, type ManualClock } from "../runtime/manual-clock.fixture.js"
import { type AnswerOptions, answer } from "./answer.fixture.js"
import type { Result } from "./handler.js"

/** A board on which `start` makes history: at once, or as `start` has it. */
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

const textsOf = (result: Result) => (result["content"] as { text: string }[]).map(({ text }) => text) // as tools/call answers

describe("createTellChanges", () => {
  it("says after a call what can be called now, and which states have another value", async () => {
    const { call } = serveBoard()

    expect(textsOf(await call("start"))).toEqual([
      "done",
      [
        "\nSince the call began, whatever the cause:",
        "can be called now:",
        "- undo { steps?: integer }: Take back the last change.",
        "states with a new value: count",
      ].join("\n"),
    ])
  })

  it("says what cannot be called any more", async () => {
    const { call } = serveBoard()
    await call("start")

    expect(textsOf(await call("undo"))[1]).toContain("cannot be called now: undo")
  })

  it("adds nothing where nothing changed", async () => {
    expect(textsOf(await serveBoard().call("look"))).toEqual(['{"result":0}'])
  })

  it("tells a failing call what changed, too", async () => {
    const result = await serveBoard().call("toss")

    expect(result).toMatchObject({ isError: true })
    expect(textsOf(result)).toEqual(["it broke (broken)", expect.stringContaining("states with a new value: count")])
  })

  it("keeps states out where they are left out", async () => {
    const { call } = serveBoard({ states: "omit" })

    expect(textsOf(await call("start")).join()).not.toContain("count")
    expect(textsOf(await call("toss"))).toEqual(["it broke (broken)"])
  })

  it("names states by their URI where only resources show them", async () => {
    const { call } = serveBoard({ states: "resources" })

    expect(textsOf(await call("start"))[1]).toContain("states with a new value: agentic://board/count")
  })

  it("says nothing where it is switched off", async () => {
    expect(textsOf(await serveBoard({ catchUp: false }).call("start"))).toEqual(["done"])
  })

  it("keeps from a caller what the caller may not know of", async () => {
    const { call } = serveBoard({
      allow: ({ kind, ...entry }) => kind === "link" || !("key" in entry) || entry.key !== "undo",
    })

    const text = textsOf(await call("start"))[1]

    expect(text).toContain("count")
    expect(text).not.toContain("undo")
  })

  it("puts the changes into a structured result, and so into its text", async () => {
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

  it("leaves a structured result alone where it has changes of its own", async () => {
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

  it("does not wait for ever, and stops waiting for an action that is waited for in vain", async () => {
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

  it("does not wait for an action whose changes are there at once, nor for one that only reads", async () => {
    let silent = false
    const { call } = serveBoard({ clock: createManualClock() }, (begin) => (silent ? undefined : begin()))
    await call("start")
    silent = true

    expect(textsOf(await call("start"))).toEqual(["done"])
    expect(textsOf(await call("look"))).toEqual(['{"result":1}'])
  })

  it("waits for rest where it is asked to, and then tells everything", async () => {
    const clock = createManualClock()
    const later = [20, 60, 90]
    const { call } = serveBoard({ clock, settle: { quietMs: 50, limitMs: 1_000 } }, (begin) => {
      for (const milliseconds of later) clock.after(milliseconds, begin)
    })
    const result = call("start")
    await until(() => clock.waiting() === 4)

    for (const milliseconds of [20, 40, 30, 50]) await pass(clock, milliseconds)

    expect(textsOf(await result)[1]).toContain("states with a new value: count")
  })

  it("says when rest did not come in time, also without a catch-up", async () => {
    const clock = createManualClock()
    const { call } = serveBoard({ clock, catchUp: false, settle: { quietMs: 50, limitMs: 100 } }, (begin) => {
      for (const milliseconds of [40, 80]) clock.after(milliseconds, begin)
    })
    const result = call("start")
    await until(() => clock.waiting() === 3)

    for (const milliseconds of [40, 40, 20]) await pass(clock, milliseconds)

    expect(textsOf(await result)[1]).toContain("still changing 100 ms after the call")
  })
})

/** Waits, task by task, until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass, and then what it brings about. */
async function pass(clock: ManualClock, milliseconds: number): Promise<void> {
  clock.advance(milliseconds)
  await new Promise((resolve) => setImmediate(resolve))
}
