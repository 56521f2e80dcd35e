import { action, createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { offerToBrowser } from "./offer-to-browser.js"
import type { WebMcpOffer, WebMcpStatus } from "./webmcp-offer.js"

// Fakes of the API's versions, measured or announced. The browser tests use the real current one.

interface Tool {
  readonly name: string
  readonly annotations: object
  readonly outputSchema?: object
  execute(input: unknown, context?: object): Promise<unknown>
}

/** Up to Chromium 154: no promise, no signal for the tool, and input that may be JSON. */
const upTo154 = { promises: false, signals: false, toInput: JSON.stringify }
/** Chromium 155 to 159. */
const upTo159 = { promises: true, signals: true, toInput: (input: object): unknown => input }
/** From Chromium 160 on, tools are interface objects, readable only through their getters. */
const from160 = { promises: true, signals: true, toInput: (input: object): unknown => Object.freeze({ ...input }) }
/** Before March 2026: unregistered by name, without signals. */
const byName = { promises: false, signals: false, unregisters: true, toInput: (input: object): unknown => input }

type Shape = typeof upTo154 | typeof upTo159 | typeof byName

function createBrowser(shape: Shape) {
  const tools = new Map<string, Tool>()
  const add = (tool: Tool, signal?: AbortSignal): void => {
    if (tools.has(tool.name)) throw new DOMException("Duplicate tool name", "InvalidStateError")
    tools.set(tool.name, tool)
    signal?.addEventListener("abort", () => tools.delete(tool.name))
  }
  return {
    tools,
    modelContext: {
      registerTool(tool: Tool, options: { signal?: AbortSignal } = {}) {
        if ("unregisters" in shape) return add(tool)
        if (!shape.promises) return add(tool, options.signal)
        return Promise.resolve().then(() => add(tool, options.signal))
      },
      ...("unregisters" in shape && { unregisterTool: (name: string) => tools.delete(name) }),
    },
    call: (name: string, input: object, signal = new AbortController().signal) =>
      tools.get(name)?.execute(shape.toInput(input), ...(shape.signals ? [{ signal }] : [])),
  }
}

function createCounter() {
  const count$ = new BehaviorSubject(0)
  const some$ = new BehaviorSubject(false)
  const started$ = new BehaviorSubject(0)
  let stopped = 0
  const service = createAgenticService({
    name: "counter",
    states: { count: state({ schema: { type: "integer" }, value: count$ }) },
    actions: {
      add: action({
        description: "Count on",
        input: { type: "object", properties: { by: { type: "integer" } }, required: ["by"] },
        output: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
        execute({ by }) {
          count$.next(count$.value + by)
          some$.next(true)
          return { count: count$.value }
        },
      }),
      reset: action({ description: "Start again", destructive: true, when: some$, execute: () => some$.next(false) }),
      wait: action({
        description: "Wait to be stopped",
        execute: (_: undefined, { signal }) =>
          new Promise<undefined>((resolve) => {
            signal.addEventListener("abort", () => {
              stopped += 1
              resolve(undefined)
            })
            started$.next(started$.value + 1)
          }),
      }),
    },
  })
  return {
    service,
    stopped: () => stopped,
    whenStarted: (n: number) => firstValueFrom(started$.pipe(filter((now) => now === n))),
  }
}

let offer: WebMcpOffer | undefined
afterEach(() => {
  offer?.close()
  Reflect.deleteProperty(globalThis, "document")
})

/** Resolves with the status in which that many tools are registered. */
function whenOffered(tools: number): Promise<WebMcpStatus | undefined> {
  const wanted = (status: WebMcpStatus) => status.state === "offered" && status.tools === tools
  return firstValueFrom((offer as WebMcpOffer).status.pipe(filter(wanted)), { defaultValue: undefined })
}

describe.each([
  ["up to Chromium 154", upTo154],
  ["of Chromium 155 to 159", upTo159],
  ["from Chromium 160 on", from160],
  ["before there were signals", byName],
])("with the shape %s", (_, shape) => {
  it("registers, calls, follows and unregisters tools", async () => {
    const browser = createBrowser(shape)
    Object.assign(globalThis, { document: browser })
    offer = offerToBrowser(createCounter().service)
    await whenOffered(4)

    const answer = await browser.call("add", { by: 2 })
    await whenOffered(5)
    const read = await browser.call("state.count", {})

    expect(answer).toMatchObject({ ok: true, result: { count: 2 } })
    expect(read).toEqual({ ok: true, result: { result: 2 } })
    expect(browser.tools.get("reset")?.annotations).toEqual({
      readOnlyHint: false,
      consequentialHint: true,
      untrustedContentHint: false,
    })
    await browser.call("reset", {})
    await whenOffered(4)
    expect(browser.tools.has("reset")).toBe(false)
    offer.close()
    expect([...browser.tools.keys()]).toEqual([])
  })
})

it.each([
  ["false", () => false],
  ["true", async () => true],
  ["nothing", () => undefined],
  ["a word", () => "yes"],
  ["a throw", () => JSON.parse("{")],
])("runs nothing if `ask` returns %s, which is not consent", async (_, ask) => {
  const told = vi.spyOn(console, "error").mockImplementation(() => {})
  onTestFinished(() => told.mockRestore())
  const browser = createBrowser(upTo159)
  Object.assign(globalThis, { document: browser })
  const paid: unknown[] = []
  const pay = action({ description: "Pay", confirm: () => "Pay?", execute: () => void paid.push("paid") })
  // Untyped code may return anything.
  offer = offerToBrowser(createAgenticService({ name: "bank", actions: { pay } }), { ask: ask as never })
  await firstValueFrom(offer.status.pipe(filter(() => browser.tools.has("pay"))))

  const answer = await browser.call("pay", {})

  expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("confirmation_unavailable") })
  expect([paid, told.mock.calls[0]?.[0]]).toEqual([[], expect.stringContaining('option "ask"')])
})

it("aborts an action when the agent cancels it or the offer ends", async () => {
  const browser = createBrowser(upTo159)
  Object.assign(globalThis, { document: browser })
  const { service, stopped, whenStarted } = createCounter()
  offer = offerToBrowser(service)
  await whenOffered(4)
  const controller = new AbortController()

  const one = browser.call("wait", {}, controller.signal)
  const other = browser.call("wait", {})
  await whenStarted(2)
  controller.abort()
  await one
  expect(stopped()).toBe(1)
  offer.close()
  await other

  expect(stopped()).toBe(2)
})

it("publishes an output schema that matches its results", async () => {
  const browser = createBrowser(from160)
  Object.assign(globalThis, { document: browser })
  offer = offerToBrowser(createCounter().service)
  await whenOffered(4)

  const schema = browser.tools.get("add")?.outputSchema

  expect(schema).toMatchObject({ properties: { result: { required: ["count"] } }, required: ["ok"] })
  expect(browser.tools.get("wait")?.outputSchema).toBeUndefined()
})

it("says why without a document, in an insecure context, and if the browser denies it", () => {
  const reasonIn = (page: object): string => {
    Object.assign(globalThis, page)
    const { value } = offerToBrowser(createCounter().service).status
    for (const key of Object.keys(page)) Reflect.deleteProperty(globalThis, key)
    return value.state === "unsupported" ? value.reason : value.state
  }
  const refusing = {
    get modelContext() {
      throw new DOMException("document.domain is enabled", "SecurityError")
    },
  }

  expect(reasonIn({})).toContain("in a worker")
  expect(reasonIn({ document: {}, isSecureContext: false })).toContain("secure context")
  expect(reasonIn({ document: {}, isSecureContext: true })).toContain("no WebMCP")
  expect(reasonIn({ document: refusing })).toContain("document.domain is enabled")
})

it("reports failures, and rejects invalid options", async () => {
  Object.assign(globalThis, { document: createBrowser(upTo159) })
  offer = offerToBrowser({ not: "a service" })
  const status = await firstValueFrom(offer.status.pipe(filter(({ state }) => state !== "starting")))

  expect(status).toMatchObject({ state: "failed" })
  expect(() => offerToBrowser({}, { prefix: "no spaces" })).toThrow("prefix")
  const misspelt: object = { prefixes: "" }
  expect(() => offerToBrowser({}, misspelt)).toThrow("prefixes")
})
