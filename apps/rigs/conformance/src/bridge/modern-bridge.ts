import {
  createMcpHandler,
  InMemoryServerEventBus,
  isJSONRPCRequest,
  Server,
  type ServerCapabilities,
  type ServerEvent,
} from "@modelcontextprotocol/server"
import { type Calls, openCalls } from "./calls.js"

/** The modern era over HTTP, and one process at its other end. */
export interface ModernBridge {
  /** Answers a request. */
  fetch(request: Request, parsedBody: unknown): Promise<Response>
  /** Ends it. */
  close(): Promise<void>
}

/** Leaves to the SDK what is HTTP's, and passes on the rest as it is. */
export async function openModernBridge(): Promise<ModernBridge> {
  const bus = new InMemoryServerEventBus()
  const calls = await openCalls(async ({ method }) => {
    const event = EVENTS[method]
    if (event !== undefined) bus.publish(event)
  })
  const capabilities = await discover(calls)
  // Ends with the process.
  ask(calls, "subscriptions/listen", { notifications: LISTENED }).catch(console.error)
  const bodies = new WeakMap<Request, unknown>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const server = new Server({ name: "bridge", version: "0.0.0" }, { capabilities })
      const body = requestInfo && bodies.get(requestInfo)
      if (isJSONRPCRequest(body) && PASSED_ON.has(body.method)) {
        server.fallbackRequestHandler = (_, { mcpReq }) => calls.call(body, mcpReq.notify)
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
  // The suites check what it is; here it is only passed on.
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

/** The SDK answers what it does not know with a status of its own, as it does on a server of its own. */
const PASSED_ON: ReadonlySet<string> = new Set([
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
  "tools/call",
  "tools/list",
])
