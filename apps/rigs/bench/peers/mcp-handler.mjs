import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler } from "mcp-handler"
import { z } from "zod"
import { addCard, BOARD_URI, board, echo, listedTools, TOGGLED } from "../src/workload.mjs"

const listed = z.strictObject({
  title: z.string().describe("What it is called"),
  count: z.int().min(0).optional(),
  urgent: z.boolean().optional().describe("Whether it has to be soon"),
})
const added = {
  description: "Adds a card",
  inputSchema: z.strictObject({
    title: z.string().max(100),
    count: z.int().min(0).max(1_000),
    labels: z.array(z.string()).optional(),
  }),
  outputSchema: z.strictObject({ id: z.string(), total: z.int() }),
}
const said = z.object({ text: z.string() })
const nothing = z.object({})

export async function serve({ tools }) {
  const all = listedTools(tools)
  let on = false
  const fetch = createMcpHandler((server) => {
    for (const { name, description } of all) {
      server.registerTool(name, { description, inputSchema: listed }, async () => toText(""))
    }
    if (on)
      server.registerTool(TOGGLED, { description: all[0].description, inputSchema: listed }, async () => toText(""))
    server.registerTool("echo", { description: echo.description, inputSchema: said }, async ({ text }) =>
      toText({ text }),
    )
    server.registerTool("read_board", { description: "Reads the board", inputSchema: nothing }, async () =>
      toText(board),
    )
    server.registerTool("add", added, async (args) => ({ ...toText(addCard(args)), structuredContent: addCard(args) }))
    server.registerResource("board", BOARD_URI, {}, async () => ({
      contents: [{ uri: BOARD_URI, mimeType: "application/json", text: JSON.stringify(board) }],
    }))
  })
  const server = createServer(toNodeHandler({ fetch }))
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    toggle() {
      on = !on
    },
  }
}

function toText(value) {
  return { content: [{ type: "text", text: JSON.stringify(value) }] }
}
