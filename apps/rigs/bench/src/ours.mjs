// Our own server, as an operator runs it: with limits, catch-up and a log of each call.
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter, logCalls } from "@x/mcp-adapter"
import { add, addCard, board, echo, listedTools, TOGGLED } from "./workload.mjs"

export async function serve(options) {
  const application = await createApplication(options)
  const { serveHttp } = await import("@x/mcp-adapter/http")
  const server = await serveHttp(application.adapter, {
    port: 0,
    tools: { pageSize: 20_000 },
    legacy: options.legacy,
    // All load comes from one address, so its limit is high.
    requestRate: { burst: 1_000_000, perSecond: 1_000_000 },
    maxSessions: 10_000,
    maxListens: 10_000,
    maxTotalListens: 10_000,
  })
  return { ...application, url: server.url, names: { board: "agentic://bench/board", boardTool: "get_state" } }
}

/** Creates the application, for any transport. */
export async function createApplication({ tools = 10, log = true }) {
  const on = createStore(false)
  const service = createAgenticService({
    name: "bench",
    description: "What is measured",
    states: {
      board: state({ description: "All cards", schema: { type: "object" }, value: createStore(board) }),
    },
    actions: {
      ...Object.fromEntries(listedTools(tools).map((tool) => [tool.name, toAction(tool, () => undefined)])),
      [TOGGLED]: toAction(listedTools(1)[0], () => undefined, { when: on }),
      echo: toAction(echo, ({ text }) => ({ text }), { readOnly: true }),
      add: toAction(add, addCard, { output: add.outputSchema, readOnly: true }),
    },
  })
  const adapter = createMcpAdapter(service, { limits: { tools: 20_000 } })
  if (log) {
    const { default: pino } = await import("pino")
    logCalls(adapter, pino({}, pino.destination({ dest: "/dev/null", sync: false, minLength: 4_096 })))
  }
  return { adapter, toggle: () => on.set(!on.getSnapshot()) }
}

function toAction({ description, inputSchema }, execute, more = {}) {
  return action({ description, input: inputSchema, execute, ...more })
}

/** A store as applications have them, so that the server alone decides which libraries are loaded. */
function createStore(first) {
  const listeners = new Set()
  let value = first
  return {
    getSnapshot: () => value,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
  }
}
