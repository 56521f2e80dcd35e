import { action, createAgenticService } from "@x/agentic-service"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { CallAnswer } from "../active-call.js"
import type { CallContext } from "../call-context.js"
import { contextWith, type ServeOptions, serve } from "../serve.fixture.js"

const modern: Partial<CallContext> = {
  leg: { transport: "http", era: "modern", notices: true },
  clientCapabilities: { elicitation: {} },
}
const accept = { _confirm: { action: "accept", content: { confirm: true } } }

/** Creates files that can be deleted, and counts the deleted ones. */
function createFiles(options?: ServeOptions) {
  const disk = { files: 3, deleted: [] as number[], result: "" }
  const service = createAgenticService({
    name: "disk",
    actions: {
      clear: action({
        description: "Delete all",
        confirm: () => `Delete ${disk.files} files?`,
        execute: () => {
          disk.deleted.push(disk.files)
          disk.files = 0
          return { said: disk.result }
        },
      }),
    },
  })
  const served = serve(service, undefined, options)
  const clear = (context: Partial<CallContext> = {}) => served.call("clear", {}, contextWith({ ...modern, ...context }))
  const answer = (requestState: string, context: Partial<CallContext> = {}) =>
    clear({ requestState, inputResponses: accept, ...context })
  return { disk, clear, answer }
}

function stateOf(answer: CallAnswer): string {
  if (answer.kind !== "asked") throw new Error(`expected a question, found ${JSON.stringify(answer)}`)
  return answer.state
}

const codeOf = (answer: CallAnswer) =>
  answer.kind === "settled" && !answer.outcome.ok ? answer.outcome.code : answer.kind

describe("consent", () => {
  it("is a field that has to be filled in", async () => {
    const { clear } = createFiles()

    expect(await clear()).toMatchObject({
      questions: { _confirm: { schema: { properties: { confirm: { type: "boolean" } }, required: ["confirm"] } } },
    })
  })

  it.each([
    ["an acceptance with nothing filled in", { action: "accept" }, "confirmation_unavailable"],
    ["an acceptance of an empty form", { action: "accept", content: {} }, "confirmation_unavailable"],
    ["a no that is filled in", { action: "accept", content: { confirm: false } }, "declined"],
    ["a yes that is refused", { action: "decline", content: { confirm: true } }, "declined"],
  ])("is not %s", async (_, response, code) => {
    const { disk, clear } = createFiles()
    const requestState = stateOf(await clear())

    const answer = await clear({ requestState, inputResponses: { _confirm: response } })

    expect([codeOf(answer), disk.deleted]).toEqual([code, []])
  })

  it("covers the words that were shown: different words are asked again", async () => {
    const { disk, clear, answer } = createFiles()
    const requestState = stateOf(await clear())

    disk.files = 50_000
    const again = await answer(requestState)
    const ran = await answer(stateOf(again))

    expect(again).toMatchObject({
      questions: { _confirm: { message: expect.stringMatching(/^Delete 50000 files\?\n/) } },
    })
    expect([codeOf(ran), disk.deleted]).toEqual(["settled", [50_000]])
  })

  it("is compared again when the turn comes", async () => {
    const { disk, clear, answer } = createFiles({ running: 1 })
    const [one, other] = [stateOf(await clear()), stateOf(await clear())]

    const [first, second] = await Promise.all([answer(one), answer(other)])

    expect([codeOf(first), codeOf(second), disk.deleted]).toEqual(["settled", "asked", [3]])
  })

  it("runs once for an answer that is delivered twenty times at once", async () => {
    const { disk, clear, answer } = createFiles({ running: 20 })
    const requestState = stateOf(await clear())

    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(requestState)))

    expect(disk.deleted).toEqual([3])
    expect(new Set(answers.map((each) => JSON.stringify(each)))).toHaveLength(1)
  })

  it("does not run again after a restart that keeps the secret, once the question reads differently", async () => {
    const secret = new Uint8Array(32).fill(7)
    const before = createFiles({ questions: { secret } })
    const requestState = stateOf(await before.clear())
    await before.answer(requestState)
    const after = createFiles({ questions: { secret } })
    after.disk.files = before.disk.files

    const answer = await after.answer(requestState)

    expect([answer.kind, after.disk.deleted]).toEqual(["asked", []])
  })

  it("does not run again after the clock was put forward and back", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const { disk, clear, answer } = createFiles()
    const began = Date.now()
    const first = stateOf(await clear())
    await answer(first)
    disk.files = 3
    vi.setSystemTime(began + 11 * 60_000)
    await answer(stateOf(await clear()))
    disk.files = 3
    vi.setSystemTime(began)

    await answer(first)

    expect(disk.deleted).toEqual([3, 3])
  })

  it("is invalid after a restart with another secret", async () => {
    const requestState = stateOf(await createFiles().clear())
    const after = createFiles()

    expect(codeOf(await after.answer(requestState))).toBe("invalid_input")
    expect(after.disk.deleted).toEqual([])
  })

  it("is unused when the answer got no turn: delivered again, it runs", async () => {
    const { disk, clear, answer } = createFiles({ running: 1, waiting: 0 })
    const [one, other] = [stateOf(await clear()), stateOf(await clear())]
    const [, busy] = await Promise.all([answer(one), answer(other)])
    disk.files = 3

    const again = await answer(other)

    expect([codeOf(busy), codeOf(again), disk.deleted]).toEqual(["busy", "settled", [3, 3]])
  })

  it("is not displaced by a thousand answers of another client", async () => {
    const { disk, clear, answer } = createFiles({ questions: { remembered: 50 } })
    const bob = { client: "bob", principal: { id: "bob" } }
    const codes = new Set<unknown>()
    for (let count = 0; count < 1_000; count += 1) codes.add(codeOf(await answer(stateOf(await clear(bob)), bob)))
    disk.deleted.length = 0

    const mine = await answer(stateOf(await clear()))

    expect([[...codes], codeOf(mine), disk.deleted]).toEqual([["settled", "busy"], "settled", [0]])
  })

  it("is remembered without its result beyond a client's limit of characters", async () => {
    const { disk, clear, answer } = createFiles({ questions: { rememberedChars: 5_000 } })
    disk.result = "x".repeat(3_000)
    const older = stateOf(await clear())
    await answer(older)
    const newer = stateOf(await clear())
    await answer(newer)

    expect([codeOf(await answer(older)), codeOf(await answer(newer)), disk.deleted]).toEqual([
      "ran_already",
      "settled",
      [3, 0],
    ])
  })
})
