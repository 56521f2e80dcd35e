import { inspect } from "node:util"
import { type ExecuteContext, fail, type Progress, ServiceError } from "@x/agentic-service"
import fc from "fast-check"
import { EMPTY, NEVER, Observable, of, Subject, throwError } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Answer } from "./answer.js"
import type { ChatOptions, ChatRequest } from "./chat-options.js"
import { createChatService } from "./create-chat-service.js"

/** Creates an agent, with functions to ask it. */
function ask(answer: Answer | ChatOptions["respond"], options: Partial<ChatOptions> = {}) {
  const respond: ChatOptions["respond"] = typeof answer === "function" ? answer : () => answer
  // The tests combine parts of several forms.
  const service = createChatService({ name: "guide", description: "Answers", respond, ...options } as ChatOptions)
  const heard: Progress[] = []
  return {
    service,
    heard,
    say: (input: unknown, context: Partial<ExecuteContext> = {}) =>
      service.execute("chat", input, {
        signal: new AbortController().signal,
        progress: (progress) => heard.push(progress),
        answers: {},
        ...context,
      }),
  }
}

const hello = { messages: [{ role: "user", content: "hello" }] }
const text = (text: string) => ({ ok: true, content: [{ type: "text", text }] })

async function* generate(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces
}

/** Lets all pending work proceed as far as it can. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe("createChatService", () => {
  it.each<[string, Answer | ChatOptions["respond"]]>([
    ["text", "Hails there"],
    ["a promise of text", () => Promise.resolve("Hails there")],
    ["a list of pieces", ["Hails", " ", "there"]],
    ["an async iterable", generate("Hails ", "there")],
    ["an observable", of("Hails ", "", "there")],
  ])("answers with the complete text of %s", async (_name, answer) => {
    expect(await ask(answer).say(hello)).toEqual(text("Hails there"))
  })

  it("answers with empty text if an agent says nothing", async () => {
    expect(await ask(EMPTY).say(hello)).toEqual(text(""))
  })

  it.each<[string, () => unknown, string]>([
    ["a piece that is a number", () => [5], "found number as a piece of an answer"],
    ["an MCP content block", () => [{ type: "text", text: "hi" }], 'found an object of type "text" as a piece'],
    [
      "a piece of an inherited name",
      () => [{ type: "constructor" }],
      'found an object of type "constructor" as a piece',
    ],
    ["a piece without a type", () => of({ content: "hi", role: "assistant" }), 'an object with "content", "role"'],
    ["an undefined piece", () => generate(...[undefined as unknown as string]), "found undefined as a piece"],
    [
      "media without bytes",
      () => ({ type: "media", mimeType: "image/png" }),
      'of type "media" without a string as "mimeType"',
    ],
    ["media without a type", () => [{ type: "media", data: "aGk=" }], 'of type "media" without'],
    ["an empty source", () => [{ type: "source" }], 'of type "source" without a string as "uri"'],
    ["invalid data", () => [{ type: "structure", structure: 1 }], 'without an object as "structure"'],
    ["nothing at all", () => undefined, "found undefined as an answer"],
    ["null", () => null, "found null as an answer"],
    ["a number", () => 5, "found number as an answer"],
    ["an object", () => ({ text: "hi" }), 'found an object with "text" as a piece'],
  ])("reports %s, and hides it from the client", async (_, respond, words) => {
    // Untyped code may return this.
    const { service, say } = ask(respond as ChatOptions["respond"])
    const causes: string[] = []
    service.failures.subscribe(({ cause }) => causes.push(String(cause)))

    expect(await say(hello)).toMatchObject({ ok: false, message: expect.stringMatching(/^action failed \(\w+\)$/) })
    expect(causes).toEqual([expect.stringContaining(words)])
  })

  it("reports each piece of text as it arrives, with growing progress", async () => {
    const { say, heard } = ask(generate("Hails", "", " there"))

    await say({ ...hello, stream: true })

    expect(heard).toEqual([
      { progress: 5, text: "Hails" },
      { progress: 11, text: " there" },
    ])
  })

  it("reports nothing to a client that wants no stream", async () => {
    const { say, heard } = ask(generate("Hails", " there"))

    expect(await say({ ...hello, stream: false })).toEqual(text("Hails there"))
    expect(heard).toEqual([])
  })

  it("returns sources and media as blocks beside the text", async () => {
    const data = new Uint8Array([1])
    const { say } = ask([
      "See",
      { type: "source", uri: "https://example.com/", title: "Example", text: "A page", mimeType: "text/html" },
      { type: "source", title: "A book", text: "page 9" },
      { type: "media", mimeType: "image/png", data },
      { type: "media", mimeType: "audio/wav", data: "AQ==" },
      { type: "media", mimeType: "application/pdf", data },
      " there",
    ])

    expect(await say(hello)).toEqual({
      ok: true,
      content: [
        { type: "text", text: "See there" },
        {
          type: "resource_link",
          uri: "https://example.com/",
          name: "Example",
          description: "A page",
          mimeType: "text/html",
        },
        { type: "text", text: "A book: page 9" },
        { type: "image", mimeType: "image/png", data },
        { type: "audio", mimeType: "audio/wav", data: "AQ==" },
        { type: "resource", uri: "answer:media/5", mimeType: "application/pdf", blob: data },
      ],
    })
  })

  it.each<[string, Answer | ChatOptions["respond"]]>([
    ["is returned", fail("no model", { code: "no_model" })],
    ["is promised", () => Promise.resolve(fail("no model", { code: "no_model" }))],
    ["occurs in the middle", throwError(() => new ServiceError("no model", { code: "no_model" }))],
  ])("answers with a failure that %s", async (_name, answer) => {
    expect(await ask(answer).say(hello)).toMatchObject({ ok: false, code: "no_model", message: "no model" })
  })

  it("hides the message of an unexpected error", async () => {
    const outcome = await ask(throwError(() => new Error("hunter2"))).say(hello)

    expect(outcome).toMatchObject({ ok: false, code: "action_failed" })
    expect(JSON.stringify(outcome)).not.toContain("hunter2")
  })

  it("stops an answer beyond its limit, and its producer", async () => {
    let produced = 0
    const endless = async function* () {
      while (true) {
        produced += 1
        yield "0123456789"
      }
    }
    const { say } = ask(endless(), { limits: { answer: 25 } })

    expect(await say(hello)).toMatchObject({ ok: false, code: "too_large" })
    expect(produced).toBeLessThanOrEqual(4)
  })
})

describe("cancelling a chat", () => {
  it("produces at most the pending piece", async () => {
    const controller = new AbortController()
    const made: string[] = []
    let left = false
    const respond = async function* () {
      try {
        for (const piece of ["one", "two", "three", "four"]) {
          await turn()
          made.push(piece)
          yield piece
        }
      } finally {
        left = true
      }
    }
    const { say, heard } = ask(respond)
    const progress = (told: Progress): void => {
      heard.push(told)
      controller.abort()
    }

    expect(await say(hello, { signal: controller.signal, progress })).toMatchObject({ ok: false, code: "aborted" })
    for (let count = 0; count < 8; count += 1) await turn()
    expect(made.length).toBeLessThanOrEqual(2)
    expect([heard.length, left]).toEqual([1, true])
  })

  it("unsubscribes an observable at once", async () => {
    const controller = new AbortController()
    let left = false
    const answer = new Observable<string>(() => () => {
      left = true
    })
    const outcome = ask(answer).say(hello, { signal: controller.signal })
    await turn()

    controller.abort()

    expect(left).toBe(true)
    expect(await outcome).toMatchObject({ ok: false, code: "aborted" })
  })

  it("closes an iterator that never continues", async () => {
    const controller = new AbortController()
    let returned = 0
    const iterator: AsyncIterator<string> = {
      next: () => new Promise(() => {}),
      return: () => {
        returned += 1
        return Promise.reject(new Error("it cannot even do that"))
      },
    }
    const outcome = ask({ [Symbol.asyncIterator]: () => iterator }).say(hello, { signal: controller.signal })
    await turn()

    controller.abort()

    expect(await outcome).toMatchObject({ ok: false, code: "aborted" })
    expect(returned).toBe(1)
  })

  it("starts nothing once the caller is gone", async () => {
    const controller = new AbortController()
    let subscribed = false
    const answer = new Observable<string>(() => {
      subscribed = true
    })
    const respond = async () => {
      controller.abort()
      return answer
    }

    expect(await ask(respond).say(hello, { signal: controller.signal })).toMatchObject({ code: "aborted" })
    expect(subscribed).toBe(false)
  })
})

describe("input", () => {
  it("passes the whole conversation to the agent", async () => {
    let asked: ChatRequest | undefined
    const { say } = ask((request) => {
      asked = request
      return "yes"
    })
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content: "hails" },
      { role: "user", content: "again?" },
    ]

    await say({ messages })

    expect(asked).toMatchObject({ messages, text: "again?", media: [] })
  })

  it("accepts plain text", async () => {
    const { say } = ask(({ text }) => `Hear: ${text}`, { input: "text" })

    expect(await say({ input: "hello" })).toEqual(text("Hear: hello"))
  })

  it.each([
    ["an unknown role", { messages: [{ role: "wizard", content: "hello" }] }],
    ["no message", { messages: [] }],
    ["an answer as the last", { messages: [...hello.messages, { role: "assistant", content: "hails" }] }],
    ["a message of ten million characters", { messages: [{ role: "user", content: "x".repeat(10_000_000) }] }],
    ["too many messages", { messages: Array.from({ length: 1_001 }, () => hello.messages[0]) }],
    ["another form", { input: "hello" }],
  ])("rejects %s with one clear failure", async (_name, input) => {
    const outcome = await ask("yes").say(input)

    expect(outcome).toMatchObject({ ok: false, code: "invalid_input" })
    expect(JSON.stringify(outcome).length).toBeLessThan(1_000)
  })
})

describe("neuro-san input", () => {
  const secret = "hunter2"
  const request = {
    user_message: {
      text: "hello",
      mime_data: [{ mime_type: "image/png", mime_bytes: "AQ==" }],
      sly_data: { a: secret },
    },
    chat_filter: { chat_filter_type: "MAXIMAL" },
    sly_data: { token: secret },
    chat_context: {
      chat_histories: [
        { origin: [{ tool: "other" }], messages: [{ type: "AI", text: "no", sly_data: { b: secret } }] },
        {
          origin: [{ tool: "guide", instantiation_index: 0 }],
          messages: [
            { type: "SYSTEM", text: "be nice" },
            { type: "HUMAN", text: "before" },
            {
              type: "AI",
              text: "hails",
              chat_context: { chat_histories: [{ messages: [{ sly_data: { c: secret } }] }] },
            },
          ],
        },
      ],
    },
  }

  it("passes the messages, the media and the tools' data to the agent", async () => {
    let asked: ChatRequest | undefined
    const { say } = ask(
      (request) => {
        asked = request
        return "yes"
      },
      { input: "neuro-san" },
    )

    expect(await say(request)).toEqual(text("yes"))
    expect(asked).toMatchObject({
      text: "hello",
      messages: [
        { role: "user", content: "before" },
        { role: "assistant", content: "hails" },
        { role: "user", content: "hello" },
      ],
      media: [{ type: "media", mimeType: "image/png", data: "AQ==" }],
      chatFilter: "MAXIMAL",
      slyData: { token: secret, a: secret },
    })
    const shown = [JSON.stringify(asked), inspect(asked, { depth: 20 }), JSON.stringify({ ...asked })]
    expect(shown.join()).not.toContain(secret)
  })

  it("returns the context if the client keeps it, without the tools' data", async () => {
    const { say } = ask("yes", { input: "neuro-san", conversation: "client" })

    const outcome = await say(request)

    expect(outcome).toMatchObject({
      ok: true,
      value: {
        text: "yes",
        chat_context: {
          chat_histories: [
            {
              origin: [{ tool: "guide", instantiation_index: 0 }],
              messages: [
                { type: "SYSTEM", text: "be nice" },
                { type: "HUMAN", text: "before" },
                { type: "AI", text: "hails", chat_context: { chat_histories: [{ messages: [{}] }] } },
                { type: "HUMAN", text: "hello", mime_data: [{ mime_type: "image/png", mime_bytes: "AQ==" }] },
                { type: "AI", text: "yes" },
              ],
            },
            { origin: [{ tool: "other" }], messages: [{ type: "AI", text: "no" }] },
          ],
        },
      },
    })
    expect(JSON.stringify(outcome)).not.toContain(secret)
  })

  it("returns every message unchanged, whatever it contains, turn after turn", async () => {
    const everything: fc.Arbitrary<object> = fc.record(
      {
        type: fc.constantFrom("UNKNOWN", "SYSTEM", "HUMAN", "AI", "AGENT", "AGENT_TOOL_RESULT", "AGENT_PROGRESS"),
        text: fc.string(),
        mime_data: fc.array(fc.record({ mime_type: fc.string(), mime_bytes: fc.base64String() })),
        structure: fc.dictionary(fc.string(), fc.jsonValue()),
        origin: fc.array(fc.record({ tool: fc.string(), instantiation_index: fc.nat() })),
        tool_result_origin: fc.array(fc.record({ tool: fc.string() })),
      },
      { requiredKeys: [] },
    )
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    const { say } = ask("yes", { input: "neuro-san", conversation: "client" })
    const own = (messages: unknown) => ({ origin: [{ tool: "guide", instantiation_index: 0 }], messages })

    await fc.assert(
      fc.asyncProperty(fc.array(everything), everything, fc.array(everything), async (before, question, others) => {
        const stranger = { origin: [{ tool: "front" }, { tool: "back" }], messages: others }
        const chat_context = { chat_histories: [own(before), stranger] }

        const outcome = await say({ user_message: question, chat_context })

        const answered = { type: "AI", text: "yes", origin: [{ tool: "guide", instantiation_index: 0 }] }
        expect(outcome).toMatchObject({ ok: true })
        expect(asJson(outcome.ok && outcome.value)).toEqual(
          asJson({
            text: "yes",
            chat_context: { chat_histories: [own([...before, { ...question, type: "HUMAN" }, answered]), stranger] },
          }),
        )
      }),
    )
  })

  it("passes questions as data to the agent, and answers as data and media to the client", async () => {
    const { say } = ask(
      ({ structure }) => [
        "see",
        { type: "structure", structure: { asked: structure } },
        { type: "media", mimeType: "image/png", data: Uint8Array.of(1) },
      ],
      { input: "neuro-san", conversation: "client" },
    )

    const outcome = await say({ user_message: { text: "one", structure: { n: 1 } } })

    const { chat_context } = outcome.ok ? JSON.parse(JSON.stringify(outcome.value)) : undefined
    expect(chat_context.chat_histories[0].messages.at(-1)).toMatchObject({
      type: "AI",
      text: "see",
      structure: { asked: { n: 1 } },
      mime_data: [{ mime_type: "image/png", mime_bytes: "AQ==" }],
    })
  })

  it("converts data to text if the form has no field for it", async () => {
    const data = { type: "structure", structure: { n: 1 } } as const

    expect(await ask(["see ", data], { input: "neuro-san" }).say({ user_message: { text: "?" } })).toEqual(
      text('see {"n":1}'),
    )
  })

  it.each([
    ["only the answer with MINIMAL", "MINIMAL", []],
    ["the growing text by default", undefined, ["yes"]],
    ["events inside as well with MAXIMAL", "MAXIMAL", ["\nsearch: 3 found\n", "yes"]],
  ])("reports %s, and adds events to the context in any case", async (_name, chat_filter_type, expected) => {
    const { say, heard } = ask(
      (_, { tell }) => {
        tell({ kind: "tool-result", from: "search", text: "3 found" })
        return "yes"
      },
      { input: "neuro-san", conversation: "client" },
    )

    const outcome = await say({
      user_message: { text: "?" },
      ...(chat_filter_type && { chat_filter: { chat_filter_type } }),
    })

    expect(heard.map((progress) => progress.text)).toEqual(expected)
    const { chat_context } = outcome.ok ? JSON.parse(JSON.stringify(outcome.value)) : undefined
    expect(chat_context.chat_histories[0].messages).toMatchObject([
      { type: "HUMAN" },
      { type: "AGENT_TOOL_RESULT", text: "3 found", tool_result_origin: [{ tool: "guide" }, { tool: "search" }] },
      { type: "AI" },
    ])
  })

  it("returns the allowed sly data beside the result, and nowhere in it", async () => {
    const { say } = ask(({ slyData }) => ["done", { type: "slyData", slyData: { ...slyData, account: "7" } }], {
      input: "neuro-san",
      conversation: "client",
      slyDataBack: ["account", "other"],
    })

    const outcome = await say(request)

    expect(outcome).toMatchObject({ ok: true, meta: { "neuro-san/sly_data": { account: "7" } } })
    expect(JSON.stringify(outcome)).not.toContain(secret)
    expect(JSON.stringify(outcome.ok && [outcome.value, outcome.content])).not.toContain("account")
  })

  it("returns no sly data if none is allowed", async () => {
    const { say } = ask(({ slyData }) => ["done", { type: "slyData", slyData }], { input: "neuro-san" })

    expect(await say(request)).toEqual(text("done"))
  })

  it("continues with the context it returned", async () => {
    const { say } = ask(({ messages }) => String(messages.length), { input: "neuro-san", conversation: "client" })

    const first = await say({ user_message: { text: "one" } })
    const { chat_context } = first.ok ? JSON.parse(JSON.stringify(first.value)) : undefined

    expect(await say({ user_message: { text: "two" }, chat_context })).toMatchObject({ value: { text: "3" } })
  })

  it.each([
    ["no message", {}],
    ["an unknown type", { user_message: { type: "WIZARD", text: "hello" } }],
    ["the tools' data as text", { user_message: { text: "hello" }, sly_data: secret }],
    ["a member it does not know", { user_message: { text: "hello" }, sly_dta: { token: secret } }],
  ])("rejects %s without repeating it", async (_name, input) => {
    const outcome = await ask("yes", { input: "neuro-san" }).say(input)

    expect(outcome).toMatchObject({ ok: false, code: "invalid_input" })
    expect(JSON.stringify(outcome)).not.toContain(secret)
  })
})

describe("kept conversations", () => {
  const kept = { conversation: "kept" } as const
  const handleOf = (outcome: { readonly ok: boolean; readonly value?: unknown }): string => {
    const { conversation } = JSON.parse(JSON.stringify(outcome.value))
    return conversation
  }
  const count: ChatOptions["respond"] = ({ messages }) => String(messages.length)

  it("continue with their handle and the last sent message", async () => {
    const { say } = ask(count, kept)
    const first = await say(hello)

    const second = await say({ messages: [...hello.messages, ...hello.messages], conversation: handleOf(first) })

    expect(first).toMatchObject({ ok: true, value: { text: "1" } })
    expect(second).toMatchObject({ ok: true, value: { text: "3", conversation: handleOf(first) } })
  })

  it("are not found by another principal or an unknown handle", async () => {
    const { say } = ask(count, kept)
    const first = await say(hello, { principal: { id: "ann" } })
    const lost = { ok: false, code: "unknown_conversation" }

    const conversation = handleOf(first)
    expect(await say({ ...hello, conversation }, { principal: { id: "bob" } })).toMatchObject(lost)
    expect(await say({ ...hello, conversation })).toMatchObject(lost)
    expect(await say({ ...hello, conversation: "made up" })).toMatchObject(lost)
    expect(await say({ ...hello, conversation }, { principal: { id: "ann" } })).toMatchObject({ value: { text: "3" } })
  })

  it("keep no turn that failed", async () => {
    let failing = false
    const { say } = ask((request) => (failing ? fail("no model") : String(request.messages.length)), kept)
    const conversation = handleOf(await say(hello))
    failing = true
    await say({ ...hello, conversation })
    failing = false

    expect(await say({ ...hello, conversation })).toMatchObject({ value: { text: "3" } })
  })

  it("keep every turn of concurrent calls", async () => {
    const gates = [new Subject<string>(), new Subject<string>()]
    const answers: Answer[] = ["begin", gates[0] ?? NEVER, gates[1] ?? NEVER]
    const { say } = ask(({ messages }) => answers.shift() ?? String(messages.length), kept)
    const conversation = handleOf(await say(hello))

    const beside = [say({ ...hello, conversation }), say({ ...hello, conversation })]
    await turn()
    for (const gate of gates) gate.complete()
    await Promise.all(beside)

    expect(await say({ ...hello, conversation })).toMatchObject({ value: { text: "7" } })
  })
})

describe("the options of a chat", () => {
  it.each<[string, object]>([
    ['there is no option "sream"', { sream: true }],
    ['there is no option "conversations.idle"', { conversations: { idle: 1 } }],
    ['option "conversations.max" is 0: expected a whole number from 1', { conversations: { max: 0 } }],
    ['option "limits.answer" is NaN: expected a whole number from 1', { limits: { answer: Number.NaN } }],
    ['option "input" is "json": expected one of "messages", "text", "neuro-san"', { input: "json" }],
    ['option "conversation" is "client" with "input" "messages"', { conversation: "client" }],
  ])("are rejected by name: %s", (fault, options) => {
    const answer = (): unknown => ask("", options)

    expect(answer).toThrow(expect.objectContaining({ code: "invalid_definition" }))
    expect(answer).toThrow(fault)
  })
})
