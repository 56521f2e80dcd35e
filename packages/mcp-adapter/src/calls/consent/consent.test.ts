import { action, createAgenticService, type Principal } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { CallAnswer } from "../active-call.js"
import type { CallContext } from "../call-context.js"
import { contextWith, type ServeOptions, serve } from "../serve.fixture.js"

const modern: Partial<CallContext> = {
  leg: { transport: "http", era: "modern", notices: true },
  clientCapabilities: { elicitation: {} },
}
const Size = { type: "object", properties: { size: { type: "integer", minimum: 1 } }, required: ["size"] } as const

/** Creates a service that deletes on confirmation and asks for a size. It records each effect. */
function createShop(options?: ServeOptions) {
  const done: unknown[] = []
  const open = new BehaviorSubject(true)
  const service = createAgenticService({
    name: "shop",
    actions: {
      clear: action({
        description: "Clear",
        when: open,
        input: { type: "object", properties: { all: { type: "boolean" } } },
        confirm: ({ all }) => `Clear ${all ? "everything" : "some"}?`,
        execute: () => {
          done.push("clear")
          return { cleared: true }
        },
      }),
      order: action({
        description: "Order",
        ask: () => ({ shirt: { message: "Which size?", schema: Size } }),
        execute: (_input, { answers }) => {
          done.push(answers)
        },
      }),
      wipe: action({ description: "Wipe everything", destructive: true, execute: () => void done.push("wipe") }),
    },
  })
  return { ...serve(service, undefined, options), done, open }
}

function stateOf(answer: CallAnswer): string {
  if (answer.kind !== "asked") throw new Error(`expected a question, found ${JSON.stringify(answer)}`)
  return answer.state
}

const accept = { _confirm: { action: "accept", content: { confirm: true } } }
const codeOf = (answer: CallAnswer) =>
  answer.kind === "settled" && !answer.outcome.ok ? answer.outcome.code : answer.kind

describe("asking the person", () => {
  it("asks before it runs, with words made of the input", async () => {
    const { call, done } = createShop()

    const answer = await call("clear", { all: true }, contextWith(modern))

    const message = 'Clear everything?\n\nAction: clear\nArguments: {"all":true}'
    expect(answer).toMatchObject({ kind: "asked", questions: { _confirm: { message } } })
    expect(done).toEqual([])
  })

  it("runs once the person has accepted", async () => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("clear", { all: true }, contextWith(modern)))

    const answer = await call("clear", { all: true }, contextWith({ ...modern, requestState, inputResponses: accept }))

    expect(answer).toMatchObject({ outcome: { ok: true, value: { cleared: true } } })
    expect(done).toEqual(["clear"])
  })

  it("gives an answer that is delivered again the first outcome, and does not run again", async () => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("clear", {}, contextWith(modern)))
    const again = () => call("clear", {}, contextWith({ ...modern, requestState, inputResponses: accept }))

    const answers = await Promise.all([again(), again(), again()])

    expect(answers.map((answer) => answer.kind === "settled" && answer.outcome.ok)).toEqual([true, true, true])
    expect(done).toEqual(["clear"])
  })

  it.each([
    ["decline", "declined", "the person declined"],
    ["cancel", "undecided", "without an answer"],
  ])("does not run on %s, and says that it was %s", async (choice, code, words) => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("clear", {}, contextWith(modern)))

    const inputResponses = { _confirm: { action: choice } }
    const answer = await call("clear", {}, contextWith({ ...modern, requestState, inputResponses }))

    expect([codeOf(answer), done]).toEqual([code, []])
    expect(answer).toMatchObject({ outcome: { message: expect.stringContaining(words) } })
  })

  it("passes the person's answers to the action", async () => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("order", {}, contextWith(modern)))

    const inputResponses = { shirt: { action: "accept", content: { size: 3 } } }
    await call("order", {}, contextWith({ ...modern, requestState, inputResponses }))

    expect(done).toEqual([{ shirt: { size: 3 } }])
  })

  it.each([
    ["is missing", {}],
    ["does not fit", { shirt: { action: "accept", content: { size: 0 } } }],
  ])("asks again when an answer %s", async (_, inputResponses) => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("order", {}, contextWith(modern)))

    const answer = await call("order", {}, contextWith({ ...modern, requestState, inputResponses }))

    expect([answer.kind, done]).toEqual(["asked", []])
  })

  it("checks the condition again after the answer", async () => {
    const { call, done, open } = createShop()
    const requestState = stateOf(await call("clear", {}, contextWith(modern)))

    open.next(false)
    const answer = await call("clear", {}, contextWith({ ...modern, requestState, inputResponses: accept }))

    expect([codeOf(answer), done]).toEqual(["not_available", []])
  })

  const ann: Principal = { id: "ann" }
  it.each<[string, { name: string; args?: Readonly<Record<string, unknown>>; principal?: Principal }]>([
    ["other arguments", { name: "clear", args: { all: true } }],
    ["another action", { name: "order" }],
    ["another principal", { name: "clear", principal: ann }],
  ])("does not take an answer for %s", async (_, { name, args = {}, ...context }) => {
    const { call, done } = createShop()
    const requestState = stateOf(await call("clear", {}, contextWith(modern)))

    const answer = await call(name, args, contextWith({ ...modern, ...context, requestState, inputResponses: accept }))

    expect([codeOf(answer), done]).toEqual(["invalid_input", []])
  })

  it("rejects an answer whose state was tampered with", async () => {
    const { call, done } = createShop()
    const state = stateOf(await call("clear", {}, contextWith(modern)))

    const requestState = state.replace("clear", "wipe!")
    const answer = await call("clear", {}, contextWith({ ...modern, requestState, inputResponses: accept }))

    expect([codeOf(answer), done]).toEqual(["invalid_input", []])
  })

  it("asks again when the answer comes too late", async () => {
    const { call, done } = createShop({ questions: { expiryMs: -1 } })
    const requestState = stateOf(await call("clear", {}, contextWith(modern)))

    const answer = await call("clear", {}, contextWith({ ...modern, requestState, inputResponses: accept }))

    expect([answer.kind, done]).toEqual(["asked", []])
  })

  it("names the capability that a modern client did not declare", async () => {
    const { call } = createShop()

    expect(await call("clear", {}, contextWith({ ...modern, clientCapabilities: {} }))).toEqual({
      kind: "incapable",
      required: { elicitation: {} },
    })
  })

  it.each<[string, Partial<CallContext>]>([
    ["did not declare that it can ask", {}],
    [
      "has no stream to be asked on",
      { leg: { transport: "http", era: "legacy", notices: false }, clientCapabilities: { elicitation: {} } },
    ],
  ])("refuses for a legacy client that %s", async (_, context) => {
    const { call, done } = createShop()

    expect([codeOf(await call("clear", {}, contextWith(context))), done]).toEqual(["confirmation_unavailable", []])
  })

  it("runs no more answers than it can remember", async () => {
    const { call, done } = createShop({ questions: { remembered: 1 } })
    const answer = async () => {
      const requestState = stateOf(await call("clear", {}, contextWith(modern)))
      return call("clear", {}, contextWith({ ...modern, requestState, inputResponses: accept }))
    }
    await answer()

    expect([codeOf(await answer()), done]).toEqual(["busy", ["clear"]])
  })

  it("lets an operator have every destructive action ask", async () => {
    const { call, done } = createShop({ questions: { destructive: true } })

    const answer = await call("wipe", {}, contextWith(modern))

    expect(answer).toMatchObject({ questions: { _confirm: { message: "Do this? Wipe everything\n\nAction: wipe" } } })
    expect(done).toEqual([])
  })
})
