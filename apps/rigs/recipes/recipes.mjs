/**
 * The recipes of CONTRIBUTING by name. Each has the title of its section, the lines to add to existing files (`after`, `before`
 * or `instead` of a text that occurs once), the packages to check and the tests to run. Its folder holds the new files.
 */
export const RECIPES = {
  method: {
    title: "Add a method",
    lines: [
      {
        file: "packages/mcp-adapter/src/handlers/methods.ts",
        after: 'import { createCallTool } from "./call-tool.js"\n',
        add: 'import { createCountStates } from "./count-states.js"\n',
      },
      {
        file: "packages/mcp-adapter/src/handlers/methods.ts",
        before: '  "resources/list": {\n',
        add: '  "states/count": { create: createCountStates },\n',
      },
    ],
    packages: ["mcp-adapter"],
    tests: [
      "packages/mcp-adapter/src/handlers/methods",
      "packages/mcp-adapter/src/sdk-v1/",
      "packages/mcp-adapter/src/handlers/count-states",
      "packages/mcp-adapter/test/count-states",
    ],
  },
  transport: {
    title: "Add a transport",
    lines: [
      {
        file: "packages/mcp-adapter/package.json",
        before: '    "./sdk-v1": {\n',
        add: `    "./message-port": {
      "@x/source": "./src/border/message-port.ts",
      "types": "./dist/border/message-port.d.ts",
      "default": "./dist/bundle/message-port.js"
    },
`,
      },
      {
        file: "packages/mcp-adapter/package.json",
        before: '      "src/sdk-v1/bind-sdk-v1.ts",\n',
        add: '      "src/border/message-port.ts",\n',
      },
      {
        file: "packages/mcp-adapter/test/support/connect.ts",
        after: "  websocket: overWebSocket,\n",
        add: '  "message-port": overMessagePort,\n',
      },
      {
        file: "packages/mcp-adapter/test/support/connect.ts",
        after: 'import { once } from "node:events"\nimport { fileURLToPath } from "node:url"\n',
        add: 'import { MessageChannel, type MessagePort } from "node:worker_threads"\n',
      },
      {
        file: "packages/mcp-adapter/test/support/connect.ts",
        after: 'import { connectInMemory } from "../../src/border/in-memory.js"\n',
        add: 'import { serveMessagePort } from "../../src/border/message-port.js"\n',
      },
      {
        file: "packages/mcp-adapter/test/support/connect.ts",
        before: "/** Creates the client's transport for a socket that is about to open. */\n",
        add: `async function overMessagePort(era: Era): Promise<Connected> {
  const { service, ...board } = createBoard()
  const adapter = createMcpAdapter(service)
  const { port1, port2 } = new MessageChannel()
  const server = serveMessagePort(adapter, port1)
  const client = createClient(era)
  await client.connect(createPortTransport(port2))
  const close = async () => {
    await client.close()
    await server.closed
    adapter.close()
  }
  return { client, adapter, ...board, close }
}

function createPortTransport(port: MessagePort): Transport {
  const transport: Transport = {
    async start() {
      port.on("message", (text: string) => transport.onmessage?.(JSON.parse(text)))
      port.on("close", () => transport.onclose?.())
    },
    async send(message) {
      port.postMessage(JSON.stringify(message))
    },
    async close() {
      port.close()
    },
  }
  return transport
}

`,
      },
      {
        file: "apps/rigs/ends/src/cases-served.mjs",
        before: '  "@x/mcp-adapter/otel traceCalls"',
        add: `  "@x/mcp-adapter/message-port serveMessagePort": onAdapter((adapter) =>
    serveMessagePort(adapter, new MessageChannel().port1),
  ),
`,
      },
      {
        file: "apps/rigs/ends/src/cases-served.mjs",
        before: 'import { traceCalls } from "@x/mcp-adapter/otel"\n',
        add: 'import { serveMessagePort } from "@x/mcp-adapter/message-port"\n',
      },
      {
        file: "apps/rigs/ends/src/cases-served.mjs",
        before: 'import { Client } from "@modelcontextprotocol/client"\n',
        add: 'import { MessageChannel } from "node:worker_threads"\n',
      },
    ],
    packages: ["mcp-adapter"],
    tests: ["packages/mcp-adapter/test/legs", "packages/mcp-adapter/test/message-port"],
    ends: "serveMessagePort|plays everything public",
  },
  source: {
    title: "Add a kind of source",
    lines: [
      {
        file: "packages/agentic-service/src/sources/recognise-source.ts",
        before: "  refuseReactive(source)\n",
        add: '  if (hasMethod(source, "current") && hasMethod(source, "listen")) return cellKind(source as Cell<Value>)\n',
      },
      {
        file: "packages/agentic-service/src/sources/recognise-source.ts",
        instead: 'import type { Source } from "./source.js"\n',
        add: 'import type { Cell, Source } from "./source.js"\n',
      },
      {
        file: "packages/agentic-service/src/sources/recognise-source.ts",
        before: "function promiseKind<Value>",
        add: `/** Creates a cell's kind: read when it is listened to, and again at every change. */
function cellKind<Value>(cell: Cell<Value>): Kind<Value> {
  const open = (listener: Listener<Value>): (() => void) => {
    const read = (): void => {
      try {
        listener.next(cell.current())
      } catch (cause) {
        listener.error(cause, true)
      }
    }
    const stop = toStop(cell.listen(read), '"listen"')
    read()
    return stop
  }
  return { constant: false, isRead: true, open }
}

`,
      },
      {
        file: "packages/agentic-service/src/sources/source.ts",
        after: "  | Subscribable<Value>\n",
        add: "  | Cell<Value>\n",
      },
      {
        file: "packages/agentic-service/src/sources/source.ts",
        before: "/**\n * A store: reports *that* it changed",
        add: `/** A cell: returns its value, and reports that it changed. */
export interface Cell<Value> {
  /** Returns the newest value. */
  current(): Value
  /** Calls the listener after every change. Its result ends the subscription. */
  listen(listener: () => void): Stop
}

`,
      },
      {
        file: "packages/agentic-service/src/laws.test.ts",
        before: "/** Creates a source without an immediate value",
        add: `/** Creates a cell: read when it reports a change. */
function playCell(): Played {
  let box: Box = { value: 0, changes: 0 }
  const emitter = createEmitter(() => {})
  const set = (value: number, again?: number): void => {
    box = { value, changes: 0 }
    emitter.emit(set, again)
  }
  return {
    source: {
      current: () => box,
      listen(listener: () => void) {
        emitter.listeners.add(listener)
        return () => void emitter.listeners.delete(listener)
      },
    },
    set,
    mutate() {
      box.changes += 1
      emitter.emit(set)
    },
    break: () => {},
    truth: () => box,
    held: () => emitter.listeners.size,
  }
}

`,
      },
      {
        file: "packages/agentic-service/src/laws.test.ts",
        instead: 'fc.constantFrom("store", "pipe", "observe", "cold")',
        add: 'fc.constantFrom("store", "pipe", "observe", "cell", "cold")',
      },
      {
        file: "packages/agentic-service/src/laws.test.ts",
        after: "          observe: playObserve(),\n",
        add: "          cell: playCell(),\n",
      },
      {
        file: "packages/agentic-service/src/laws.test.ts",
        instead: "toEqual([0, 1, 0, 0])",
        add: "toEqual([0, 1, 0, 0, 0])",
      },
    ],
    packages: ["agentic-service"],
    tests: ["packages/agentic-service/src/laws", "packages/agentic-service/src/sources/"],
  },
  profile: {
    title: "Add a client or a profile of schemas",
    lines: [
      {
        file: "packages/tool-schemas/src/profile-name.ts",
        after: '"gemini", ',
        add: '"acme", ',
      },
      {
        file: "packages/tool-schemas/src/profiles.ts",
        before: "  verbatim,\n}\n",
        add: '  acme: { ...verbatim, refs: "none", names: false },\n',
      },
      {
        file: "packages/tool-schemas/src/profiles.ts",
        before: " * - `verbatim`: JSON Schema 2020-12 as its author means it.\n",
        add: " * - `acme`: the Acme API rejects references and odd property names (example.com/acme/tools).\n",
      },
      {
        file: "packages/tool-schemas/test/support/vendor-rules.ts",
        before: "  verbatim: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY],\n",
        add: "  acme: [ROOT_OBJECT, NO_BOOLEAN_PROPERTY, NO_REF, PROPERTY_NAMES],\n",
      },
      {
        file: "packages/tool-schemas/test/support/vendor-code.ts",
        before: "  verbatim: [SDK_V1],\n",
        add: "  acme: [SDK_V1],\n",
      },
      {
        file: "packages/tool-schemas/test/vendor-rules.test.ts",
        before: '  verbatim: [{ type: "object" }, input(true)],\n',
        add: `  acme: [
    { type: "object" },
    input(true),
    input({ $ref: "#/$defs/b" }),
    input({ type: "object", properties: { "a b": { type: "string" } } }),
  ],
`,
      },
      {
        file: "docs/guides/what-the-model-sees.md",
        before: "| `verbatim` |",
        add: "| `acme` | the Acme API | written out | unchanged | odd property names rewritten |\n",
      },
      {
        file: "packages/mcp-adapter/src/known-clients/known-clients.ts",
        after: "export const knownClients: readonly KnownClient[] = [\n",
        add: `  {
    title: "Acme",
    names: ["acme-client"],
    listsAgain: "at once",
    schemas: "its API rejects references and odd property names",
    schemaProfile: "acme",
    exposure: "dynamic",
    evidence: "read",
    source: "example.com/acme/tools",
    checked: "2026-11-28",
  },
`,
      },
    ],
    packages: ["tool-schemas", "mcp-adapter"],
    tests: [
      ...[
        "packages/tool-schemas/test/every-profile",
        "packages/tool-schemas/test/vendor-rules",
        "packages/tool-schemas/test/schema-suite",
      ],
      ...["packages/mcp-adapter/src/known-clients/known-clients", "packages/mcp-adapter/test/acme-client"],
    ],
  },
}
