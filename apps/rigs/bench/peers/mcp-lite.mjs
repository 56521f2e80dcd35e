import { createServer } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { McpServer, StreamableHttpTransport } from "mcp-lite"
import { z } from "zod"
import { addCard, BOARD_URI, board, echo, listedTools, TOGGLED } from "../src/workload.mjs"

export async function serve({ tools }) {
  let on = false
  let handle = createHandler(tools, on)
  const server = createServer(getRequestListener((request) => handle(request)))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    // It cannot remove a tool, so its server is made anew.
    toggle() {
      on = !on
      handle = createHandler(tools, on)
    },
  }
}

/** Creates the server without sessions, its cheapest form. */
function createHandler(tools, on) {
  const server = new McpServer({ name: "bench", version: "1.0.0", schemaAdapter: (schema) => z.toJSONSchema(schema) })
  const put = (name, { description, inputSchema }) =>
    server.tool(name, { description, inputSchema, handler: () => ({ content: [] }) })
  for (const tool of listedTools(tools)) put(tool.name, tool)
  if (on) put(TOGGLED, listedTools(1)[0])
  server.tool("echo", {
    description: echo.description,
    inputSchema: z.object({ text: z.string() }),
    handler: ({ text }) => toText({ text }),
  })
  server.tool("read_board", { description: "Reads the board", handler: () => toText(board) })
  server.tool("add", {
    description: "Adds a card",
    inputSchema: z.strictObject({
      title: z.string().max(100),
      count: z.int().min(0).max(1_000),
      labels: z.array(z.string()).optional(),
    }),
    outputSchema: z.strictObject({ id: z.string(), total: z.int() }),
    handler(args) {
      const structuredContent = addCard(args)
      return { ...toText(structuredContent), structuredContent }
    },
  })
  server.resource(BOARD_URI, { name: "board" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(board) }],
  }))
  return new StreamableHttpTransport().bind(server)
}

function toText(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}
