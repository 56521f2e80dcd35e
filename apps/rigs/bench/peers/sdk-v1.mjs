import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv"
import { add, addCard, allTools, board } from "../src/workload.mjs"

// Shared by all servers, since each would create its own.
const jsonSchemaValidator = new AjvJsonSchemaValidator()
const isInput = jsonSchemaValidator.getValidator(add.inputSchema)

export async function serve({ tools }) {
  const lists = allTools(tools)
  let on = false
  const sessions = new Map()
  const open = async () => {
    const capabilities = { tools: { listChanged: true }, resources: {} }
    const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities, jsonSchemaValidator })
    server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: on ? lists.with : lists.without }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => call(params))
    server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify(board) }],
    }))
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, { transport, server }),
    })
    await server.connect(transport)
    return transport
  }
  const server = createServer(async (request, response) => {
    const found = sessions.get(request.headers["mcp-session-id"])
    const transport = found?.transport ?? (await open())
    await transport.handleRequest(request, response)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      on = !on
      for (const each of sessions.values()) void each.server.sendToolListChanged()
    },
  }
}

async function call({ name, arguments: args = {} }) {
  if (name === "echo") return toText({ text: args.text })
  if (name === "read_board") return toText(board)
  if (!isInput(args).valid) return { content: [{ type: "text", text: "invalid" }], isError: true }
  return { ...toText(addCard(args)), structuredContent: addCard(args) }
}

function toText(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}
