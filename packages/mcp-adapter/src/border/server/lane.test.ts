import type { JSONRPCMessage, JSONRPCRequest, Transport } from "@modelcontextprotocol/server"
import { action, type Block, content, createAgenticService, fail, state } from "@x/agentic-service"
import { createStopSource } from "@x/agentic-service/adapter"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import { afterAll, describe, expect, it } from "vitest"
import type { Leg } from "../../calls/call-context.js"
import { createMcpAdapter } from "../../create-adapter.js"
import { createEndpoint } from "../../create-endpoint.js"
import { createServer, findFault } from "./create-server.js"
import { encodeMessage } from "./encode-message.js"
import type { Encoded } from "./encoded.js"
import { readClaim } from "./era.js"
import { answerPlain, readPlain } from "./lane.js"
import { checkBody } from "./messages.js"
import { CLASSIFIED, connectModern } from "./modern-transport.js"
import { createStops } from "./stops.js"

const legs: Readonly<Record<Leg["era"], Leg>> = {
  modern: { transport: "http", era: "modern", notices: true },
  legacy: { transport: "http", era: "legacy", notices: true },
}
const BYTES = new Uint8Array([1, 2, 3])

/** Blocks of every kind, in good shape and in bad. */
const blocks: readonly Block[] = [
  { type: "text", text: "a \ud83d half" },
  { type: "image", data: BYTES, mimeType: "image/png" },
  { type: "audio", data: "no base64!", mimeType: "audio/wav" },
  { type: "resource_link", uri: "x:y", name: "n", mimeType: "m", description: "d", size: 3 },
  { type: "resource", uri: "x:y", text: "t", mimeType: "text/plain" },
  { type: "resource", uri: "x:y", blob: BYTES },
]

const number = new BehaviorSubject(0)
const Count = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const
const meta = { "law.test/x": 1, plain: { deep: [null] }, "io.modelcontextprotocol/mine": 2 }

const actions = {
  nothing: action({ description: "d", execute: () => {} }),
  text: action({ description: "d", output: { type: "string" }, execute: () => "text" }),
  count: action({ description: "d", input: Count, output: Count, readOnly: true, execute: ({ n }) => ({ n }) }),
  change: action({ description: "d", execute: () => number.next(number.value + 1) }),
  blocks: action({ description: "d", execute: () => content(undefined, blocks) }),
  media: action({ description: "d", output: Count, execute: () => content({ n: 1 }, blocks.slice(0, 3), { meta }) }),
  meant: action({ description: "d", output: Count, execute: () => content({ n: 1 }, blocks, { meta }) }),
  annotated: action({
    description: "d",
    execute: () => content(1, [{ type: "text", text: "t", annotations: { priority: 7 }, meta: { b: 1, a: 2 } }]),
  }),
  failing: action({
    description: "d",
    execute: () => fail("no", { code: "c", recovery: "r", structured: { a: 1 }, meta }),
  }),
  throwing: action({
    description: "d",
    execute() {
      throw new Error("secret")
    },
  }),
  odd: action({ description: "d", execute: () => ({ __proto__: null, big: 3n, date: new Date(0) }) as object }),
  asking: action({ description: "d", confirm: () => "Sure?", execute: () => {} }),
  hidden: action({ description: "d", when: new BehaviorSubject(false), execute: () => {} }),
}
const service = createAgenticService({
  name: "law",
  states: { number: state({ schema: {}, value: number }), bytes: state({ schema: {}, value: BYTES }) },
  actions,
})
const adapter = createMcpAdapter(service, { version: "1" })
adapter.events.subscribe()
const endpoint = createEndpoint(adapter, { tools: { pageSize: 5 } })
const connection = endpoint.open(undefined)
afterAll(() => {
  connection.release()
  adapter.close()
})

/** Answers a request the long way. */
async function bySdk(era: Leg["era"], request: JSONRPCRequest): Promise<string> {
  const caller = { client: "law", leg: legs[era] }
  const server = createServer(endpoint, connection, { caller, stops: createStops(), failed: () => {} })
  let answered = (_: JSONRPCMessage): void => {}
  const transport: Transport = {
    start: async () => {},
    async send(message) {
      if (!("method" in message)) answered(message)
    },
    close: async () => transport.onclose?.(),
  }
  const ask = (line: Transport, message: JSONRPCRequest) =>
    new Promise<JSONRPCMessage>((resolve) => {
      answered = resolve
      line.onmessage?.(message, era === "modern" ? CLASSIFIED : undefined)
    })
  if (era === "legacy") {
    await server.connect(transport)
    await ask(transport, { jsonrpc: "2.0", id: "law", method: "initialize", params: INTRODUCTION })
  }
  const line = era === "legacy" ? transport : await connectModern(server, { send: transport.send, close: () => {} })
  const message = await ask(line, request)
  await server.close()
  return textOf(encodeMessage(endpoint.host, message))
}

const INTRODUCTION = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "n", version: "1" } }

/** Answers it in the lane, where it may. */
async function inLane(era: Leg["era"], request: JSONRPCRequest): Promise<string | undefined> {
  const plain = readPlain(connection, era, request)
  const said = era === "legacy" && { clientInfo: INTRODUCTION.clientInfo, clientCapabilities: {} }
  const caller = { client: "law", leg: legs[era], ...said }
  const answer = plain && (await answerPlain(endpoint, plain, { caller, stop }))
  return answer?.kind === "message" ? textOf(encodeMessage(endpoint.host, answer.message)) : undefined
}

const stop = createStopSource()

/** What is made anew for each call is the same for this purpose: ids, seals, values that have moved on. */
function textOf(encoded: Encoded): string {
  const text = typeof encoded === "string" ? encoded : Buffer.concat(encoded).toString()
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
    .replace(/action failed \(\w+\)/, "action failed")
    .replace(/"requestState":"(?:[^"\\]|\\.)*"/, "state")
    .replace(/"text":"\d+"/, '"text":"number"')
}

const anyJson = fc.jsonValue({ maxDepth: 2 })
const odd = fc.oneof(fc.constant({}), fc.constant(undefined), anyJson)
const usual = <Value>(value: Value) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: odd })
const capabilities = fc.oneof(
  fc.constantFrom(
    {},
    { elicitation: {} },
    { elicitation: { form: {} }, roots: { listChanged: true } },
    { sampling: {} },
  ),
  fc.dictionary(fc.constantFrom("elicitation", "sampling", "roots", "extensions", "tasks", "other"), odd),
)
const claim = {
  "io.modelcontextprotocol/protocolVersion": fc.constant("2026-07-28"),
  "io.modelcontextprotocol/clientCapabilities": capabilities,
}
const ownParts = {
  traceparent: usual("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
  "mine/x": anyJson,
}
const plainParts = {
  legacy: ownParts,
  modern: { ...ownParts, "io.modelcontextprotocol/clientInfo": usual({ name: "n", version: "v", title: "t" }) },
}
const wildParts = {
  "io.modelcontextprotocol/logLevel": fc.constantFrom("info", "loud"),
  "io.modelcontextprotocol/related-task": odd,
  progressToken: fc.constantFrom<unknown>(1, "t", null),
}
function metaOf(era: Leg["era"]) {
  const claimed = era === "modern" ? claim : {}
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...claimed, ...plainParts[era] }, { requiredKeys: keysOf(claimed) }) },
    {
      weight: 1,
      arbitrary: fc.record({ ...claimed, ...plainParts.modern, ...wildParts }, { requiredKeys: keysOf(claimed) }),
    },
  )
}

function keysOf<Of extends object>(object: Of): (keyof Of)[] {
  return Object.keys(object) as (keyof Of)[] // the keys of a literal
}

const rarely = { inputResponses: odd, requestState: odd, task: odd, extra: anyJson }
const args = fc.oneof(fc.constantFrom({}, { n: 1 }, { n: "x" }), fc.dictionary(fc.string(), anyJson))
const names = fc.constantFrom(...Object.keys(actions), "get_state", "run_action", "nope", "toString", "")
const paramsOf = {
  "tools/call": { name: fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: odd }), arguments: args },
  "tools/list": { cursor: fc.constantFrom<unknown>("", "x", btoa("after:hidden"), btoa("after:zzz"), 7) },
  "resources/read": {
    uri: fc.constantFrom<unknown>("agentic://law/number", "agentic://law/bytes", "agentic://law/no", 1),
  },
}
function requestsOf(era: Leg["era"]) {
  return fc.constantFrom(...keysOf(paramsOf)).chain((method) =>
    fc.record({
      jsonrpc: fc.constant("2.0"),
      id: fc.oneof(fc.integer(), fc.string()),
      method: fc.constant(method),
      params: fc.oneof(
        { weight: 4, arbitrary: toParams(era, { ...paramsOf[method] }) },
        { weight: 1, arbitrary: toParams(era, { ...paramsOf[method], ...rarely }) },
      ),
    }),
  )
}

function toParams(era: Leg["era"], known: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  const oneLess = fc.subarray(Object.keys(known), { minLength: Math.max(0, Object.keys(known).length - 1) })
  return fc.tuple(fc.record({ ...known }), metaOf(era), oneLess).map(([params, _meta, keys]) => ({
    ...Object.fromEntries(Object.entries(params).filter(([key]) => keys.includes(key))),
    _meta,
  }))
}

describe("readPlain", () => {
  it.each(["modern", "legacy"] as const)(
    "takes only what the SDK's server answers with the same bytes, %s",
    async (era) => {
      let plain = 0
      let others = 0
      await fc.assert(
        fc.asyncProperty(requestsOf(era), async (given) => {
          const body = checkBody(JSON.parse(JSON.stringify(given)))
          if (body.kind !== "request" || (readClaim(body.message).kind === "version") !== (era === "modern")) return
          if (findFault(endpoint, { connection, leg: legs[era] }, body.message) !== undefined) return
          const short = await inLane(era, body.message)
          if (short === undefined) others += 1
          else {
            plain += 1
            expect(short).toBe(await bySdk(era, body.message))
          }
        }),
        { numRuns: 1_000 },
      )
      expect(plain).toBeGreaterThan(100)
      expect(others).toBeGreaterThan(50)
    },
  )

  it("takes what our tools answer, but for what authors add to content and ask people", async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "client", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    }
    const answers = Object.keys(actions).map(async (name) => {
      const short = await inLane("modern", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, _meta } })
      return short === undefined ? [name] : []
    })

    expect((await Promise.all(answers)).flat()).toEqual(["blocks", "meant", "annotated", "asking"])
  })

  it("leaves to the SDK what an extension has a hand in", () => {
    const extended = createEndpoint(adapter, { extension: { methods: { "tools/list": (own) => own } } }).open(undefined)
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    }
    const ask = (method: string, params: object) =>
      readPlain(extended, "modern", { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } })

    expect(ask("tools/list", {})).toBeUndefined()
    expect(ask("tools/call", { name: "text" })).toBeDefined()
    expect(ask("prompts/list", {})).toBeUndefined()
    extended.release()
  })
})
