import { action, type Block, content, createAgenticService, fail, state } from "@x/agentic-service"
import fc from "fast-check"
import { BehaviorSubject } from "rxjs"
import type { Leg } from "../../calls/call-context.js"
import { createMcpAdapter, type McpAdapter } from "../../create-adapter.js"

const BYTES = new Uint8Array([1, 2, 3])

/** Content blocks of every kind, valid and invalid. */
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

export const lawActions = {
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
  // Sent in one task, so that the first report is told at once and the last before the answer, whatever the clock does.
  reporting: action({
    description: "d",
    execute: (_, { progress }) => {
      for (const at of [1, 0.5, 2, 3]) progress({ progress: at, total: 3, text: `step ${at}` })
    },
  }),
  logging: action({
    description: "d",
    execute: (_, { log }) => {
      log?.("debug", { a: [1] })
      log?.("error", "bad", "logger")
    },
  }),
  asking: action({ description: "d", confirm: () => "Sure?", execute: () => {} }),
  long: action({ description: "d", long: true, output: Count, execute: () => ({ n: 1 }) }),
  hidden: action({ description: "d", when: new BehaviorSubject(false), execute: () => {} }),
}

/** Creates an adapter of a service whose actions end in every way. */
export function createLawAdapter(): McpAdapter {
  const states = { number: state({ schema: {}, value: number }), bytes: state({ schema: {}, value: BYTES }) }
  const service = createAgenticService({ name: "law", states, actions: lawActions })
  const adapter = createMcpAdapter(service, { version: "1", tasks: { patienceMs: 0 } })
  // Otherwise diagnostics are printed.
  adapter.events.subscribe()
  return adapter
}

/** Options that announce log messages. */
export const lawOptions = { tools: { pageSize: 5 }, extension: { capabilities: () => ({ logging: {} }) } }

/** Replaces parts that differ in every call: ids, seals and changed values. */
export function toComparable(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
      .replace(/action failed \(\w+\)/, "action failed")
      .replace(/"requestState":"(?:[^"\\]|\\.)*"/, "state")
      .replace(/"text":"\d+"/, '"text":"number"')
      // The SDK adds an empty content to a task, which has none (ext-tasks).
      .replace('"content":[],"resultType":"task"', '"resultType":"task"')
      .replace(/[0-9a-f]{64}/g, "task")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time")
  )
}

const anyJson = fc.jsonValue({ maxDepth: 2 })
const odd = fc.oneof(fc.constant({}), fc.constant(undefined), anyJson)
const usual = <Value>(value: Value) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: odd })
const CAPABILITIES = fc.constantFrom(
  ...["elicitation", "sampling", "roots", "extensions", "experimental", "tasks", "other"],
)
const capabilities = fc.oneof(
  fc.constantFrom(
    {},
    { elicitation: {} },
    { elicitation: { form: {} }, roots: { listChanged: true } },
    { sampling: {} },
    { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    { extensions: { "io.modelcontextprotocol/tasks": {} } },
    { experimental: { "claude/channel": {} }, tasks: { list: {}, cancel: {} } },
  ),
  fc.dictionary(
    CAPABILITIES,
    fc.oneof(odd, fc.dictionary(fc.constantFrom("form", "url", "context", "tools", "x"), odd)),
  ),
)
/** A name and version as clients state it, with valid and invalid further parts. */
const clientInfo = fc.record(
  {
    name: fc.oneof(fc.string(), odd),
    version: fc.oneof(fc.constant("1"), odd),
    title: usual("t"),
    description: usual("d"),
    websiteUrl: usual("https://x.test"),
    icons: usual([{ src: "data:,", sizes: ["any"], theme: "dark", more: 1 }]),
    more: anyJson,
  },
  { requiredKeys: ["name", "version"] },
)
const claim = {
  "io.modelcontextprotocol/protocolVersion": fc.constant("2026-07-28"),
  "io.modelcontextprotocol/clientCapabilities": capabilities,
}
const token = fc.constantFrom<unknown>(1, "t", 0, "")
const ownParts = {
  progressToken: token,
  traceparent: usual("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
  "mine/x": anyJson,
}
const plainParts = {
  legacy: ownParts,
  modern: {
    ...ownParts,
    "io.modelcontextprotocol/clientInfo": fc.oneof(
      { weight: 3, arbitrary: usual({ name: "n", version: "v", title: "t" }) },
      { weight: 1, arbitrary: clientInfo },
    ),
    "io.modelcontextprotocol/logLevel": fc.constantFrom("debug", "error", "emergency"),
  },
}
const wildParts = {
  "io.modelcontextprotocol/logLevel": fc.constantFrom<unknown>("info", "loud", 1),
  "io.modelcontextprotocol/related-task": fc.oneof(odd, fc.constant({ taskId: "1" })),
  "io.modelcontextprotocol/other": odd,
  progressToken: fc.constantFrom<unknown>(1, "t", null, 1.5),
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
const names = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(...Object.keys(lawActions), "get_state", "run_action", "nope", "toString", ""),
  },
  { weight: 1, arbitrary: fc.constantFrom("reporting", "logging") },
)
/** Stands for the id of a task that has ended. */
export const TASK = "a task"
const PAGE = { cursor: fc.constantFrom<unknown>("", "x", btoa("after:hidden"), btoa("after:zzz"), 7) }
const paramsOf = {
  "tools/call": { name: fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: odd }), arguments: args },
  "tools/list": PAGE,
  "resources/list": PAGE,
  "resources/templates/list": PAGE,
  // Replaced by the id of a task before it is sent.
  "tasks/get": { taskId: fc.oneof({ weight: 3, arbitrary: fc.constant(TASK) }, { weight: 1, arbitrary: odd }) },
  "resources/read": {
    uri: fc.constantFrom<unknown>("agentic://law/number", "agentic://law/bytes", "agentic://law/no", 1),
  },
}
/** The methods, the most varied ones more often. */
const METHODS = [...keysOf(paramsOf), "tools/call", "tools/call", "tools/list"] as const

const CLAIMED = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
}

/** A request, valid or not. */
interface LawRequest {
  readonly jsonrpc: "2.0"
  readonly id: number | string
  readonly method: string
  readonly params: object
}

/** A call of a client that takes tasks, which becomes one. */
export const startTask: LawRequest = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "long", arguments: {}, _meta: CLAIMED },
}

/** Reads a task. */
export const readTask = (taskId: string): LawRequest => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tasks/get",
  params: { taskId, _meta: CLAIMED },
})

/** Calls whose answer is a stream with reports. */
export function reportedCalls(era: Leg["era"]): readonly LawRequest[] {
  const claimed = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  return ["t", 0].map((progressToken, id) => {
    const _meta = { ...(era === "modern" && claimed), progressToken }
    return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "reporting", arguments: {}, _meta } }
  })
}

/** Requests of the methods that the lane knows: mostly plain, some odd, some wrong. */
export function requestsOf(era: Leg["era"]): fc.Arbitrary<LawRequest> {
  return fc.constantFrom(...METHODS).chain((method) =>
    fc.record({
      jsonrpc: fc.constant("2.0" as const),
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
