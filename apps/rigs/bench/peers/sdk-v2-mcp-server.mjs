// The SDK's high-level server, created for each request as `createMcpHandler` requires.
import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server"
import { add, addCard, allTools, BOARD_URI, board } from "../src/workload.mjs"

const NOTHING = async () => ({ content: [] })

export async function serve({ tools }) {
  const lists = allTools(tools)
  const schemas = new Map(lists.with.map((tool) => [tool.name, toSchemas(tool)]))
  let on = false
  const make = () => {
    const server = new McpServer({ name: "bench", version: "1.0.0" })
    for (const { name, description } of on ? lists.with : lists.without)
      server.registerTool(name, { description, ...schemas.get(name) }, HANDLERS[name] ?? NOTHING)
    server.registerResource("board", BOARD_URI, {}, async () => ({
      contents: [{ uri: BOARD_URI, mimeType: "application/json", text: JSON.stringify(board) }],
    }))
    return server
  }
  const server = createServer(toNodeHandler(createMcpHandler(make)))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      on = !on
    },
  }
}

const HANDLERS = {
  echo: async ({ text }) => toText({ text }),
  read_board: async () => toText(board),
  add: async (args) => ({ ...toText(addCard(args)), structuredContent: addCard(args) }),
}

function toText(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}

function toSchemas({ name, inputSchema }) {
  return {
    inputSchema: fromJsonSchema(inputSchema),
    ...(name === "add" && { outputSchema: fromJsonSchema(add.outputSchema) }),
  }
}
