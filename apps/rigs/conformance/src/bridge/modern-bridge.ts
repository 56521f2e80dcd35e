import {
  createMcpHandler,
  InMemoryServerEventBus,
  isJSONRPCRequest,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type ServerEvent,
  type StandardSchemaV1,
} from "@modelcontextprotocol/server"
import { type Calls, openCalls } from "./calls.js"

/** The modern HTTP endpoint of a process. */
export interface ModernBridge {
  /** Answers a request. */
  fetch(request: Request, parsedBody: unknown): Promise<Response>
  /** Closes the endpoint and the process. */
  close(): Promise<void>
}

/** Handles HTTP with the SDK and forwards all else unchanged. */
export async function openModernBridge(): Promise<ModernBridge> {
  const bus = new InMemoryServerEventBus()
  const calls = await openCalls(async ({ method }) => {
    const event = EVENTS[method]
    if (event !== undefined) bus.publish(event)
  })
  const capabilities = await discover(calls)
  // The subscription ends with the process.
  ask(calls, "subscriptions/listen", { notifications: LISTENED }).catch(console.error)
  const bodies = new WeakMap<Request, unknown>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new Server({ name: "bridge", version: "0.0.0" }, { capabilities })
      const body = requestInfo && bodies.get(requestInfo)
      if (isJSONRPCRequest(body) && PASSED_ON.has(body.method)) {
        const pass = (_: unknown, { mcpReq }: ServerContext) => calls.call(body, mcpReq.notify)
        // The SDK knows these methods from former revisions only, and takes them from nobody but a handler of their own.
        if (body.method.startsWith("tasks/")) server.setRequestHandler(body.method, { params: anything }, pass)
        else server.fallbackRequestHandler = pass
      }
      return server
    },
    { legacy: "reject", bus },
  )
  return {
    fetch(request, parsedBody) {
      bodies.set(request, parsedBody)
      return handler.fetch(request, { parsedBody })
    },
    async close() {
      await handler.close()
      await calls.close()
    },
  }
}

async function discover(calls: Calls): Promise<ServerCapabilities> {
  const { capabilities } = await ask(calls, "server/discover")
  // The suites validate them; they are only forwarded here.
  return capabilities as ServerCapabilities
}

function ask(calls: Calls, method: string, params: object = {}): ReturnType<Calls["call"]> {
  return calls.call({ jsonrpc: "2.0", id: 0, method, params: { ...params, _meta: ENVELOPE } }, async () => {})
}

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
}

const LISTENED = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

const EVENTS: Readonly<Record<string, ServerEvent>> = {
  "notifications/tools/list_changed": { kind: "tools_list_changed" },
  "notifications/prompts/list_changed": { kind: "prompts_list_changed" },
  "notifications/resources/list_changed": { kind: "resources_list_changed" },
}

/** Accepts any parameters. */
const anything: StandardSchemaV1<object, object> = {
  "~standard": { version: 1, vendor: "bridge", validate: (value) => ({ value: Object(value) }) },
}

/** Methods that the SDK would answer with an HTTP status itself. */
const PASSED_ON: ReadonlySet<string> = new Set([
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tasks/cancel",
  "tasks/get",
  "tasks/update",
  "tools/call",
  "tools/list",
])
