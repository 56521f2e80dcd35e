import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { build, type Rolldown } from "vite"
import { describe, expect, it } from "vitest"

/**
 * Bundles a program for the web, with packages resolved under the browser condition.
 *
 * @param format - `iife` for one script, `es` to allow parts that are loaded later.
 */
async function bundle(program: string, format: "es" | "iife" = "iife"): Promise<string> {
  // The file need not exist: it only locates the packages.
  const entry = join(import.meta.dirname, "program.js")
  const result = await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["browser", "import", "module", "default"] },
    plugins: [
      {
        name: "program",
        enforce: "pre",
        resolveId: (source) => (source === entry ? entry : undefined),
        load: (id) => (id === entry ? program : undefined),
      },
    ],
    build: { write: false, minify: false, lib: { entry, formats: [format], name: "program" } },
  })
  // `build` returns other shapes only for watching and for several inputs.
  const [output] = result as Rolldown.RolldownOutput[]
  return (output?.output ?? []).map((part) => (part.type === "chunk" ? part.code : "")).join("\n")
}

/** Globals of a page, which is all that code may rely on. */
const page = {
  AbortController,
  AbortSignal,
  Event,
  EventTarget,
  Headers,
  MessageChannel,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
  structuredClone,
}

const board = `
  import { action, createAgenticService } from "@x/agentic-service"
  import { createMcpAdapter } from "@x/mcp-adapter"
  const board = createAgenticService({
    name: "board",
    actions: { add: action({
      description: "Add",
      input: { type: "object", properties: { title: { type: "string" } } },
      execute: ({ title }) => ({ title }),
    }) },
  })
  const adapter = createMcpAdapter(board)
`

describe("the neutral entries", () => {
  it("run in a page: list and call", async () => {
    const code = await bundle(`${board}
      export const result = adapter.list()
        .then(({ tools }) => adapter.call(tools[0].name, { title: "a" }))
        .then((answer) => JSON.stringify(answer.outcome))
    `)

    const result: unknown = await runInContext(`${code}; program.result`, createContext({ ...page }))

    expect(result).toBe('{"ok":true,"value":{"title":"a"}}')
  })

  it("announce a change in a page, which lacks setImmediate", async () => {
    const code = await bundle(`
      import { action, createAgenticService } from "@x/agentic-service"
      import { createMcpAdapter } from "@x/mcp-adapter"
      import { BehaviorSubject } from "rxjs"
      const on = new BehaviorSubject(false)
      const undo = action({ description: "Undo", when: on, execute: () => undefined })
      const adapter = createMcpAdapter(createAgenticService({ name: "board", actions: { undo } }))
      export const result = new Promise((resolve) => adapter.events.subscribe(resolve))
        .then((event) => event.type + " " + event.diff.tools.appeared[0].name)
      on.next(true)
    `)

    const result: unknown = await runInContext(`${code}; program.result`, createContext({ ...page }))

    expect(result).toBe("changed undo")
  })

  it("serve in a page, through fetch", async () => {
    const code = await bundle(`${board}
      import { createFetchHandler } from "@x/mcp-adapter/fetch"
      const { fetch } = createFetchHandler(adapter)
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add", arguments: { title: "a" }, _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
      } } }
      export const result = fetch(new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          host: "localhost", "content-type": "application/json", accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add",
        },
        body: JSON.stringify(body),
      })).then((response) => response.json()).then((answer) => JSON.stringify(answer.result?.content ?? answer))
    `)

    const result: unknown = await runInContext(`${code}; program.result`, createContext({ ...page }))

    expect(result).toBe('[{"type":"text","text":"{\\"title\\":\\"a\\"}"}]')
  })

  it.each(["@x/agentic-service", "@x/mcp-adapter", "@x/mcp-adapter/fetch", "@x/mcp-adapter/in-memory"])(
    "%s carries no Node code",
    async (entry) => {
      const code = await bundle(`export * from ${JSON.stringify(entry)}`, "es")

      expect(code.match(/__vite-browser-external|["']node:\w+["']|\brequire\(/g) ?? []).toEqual([])
    },
  )
})
