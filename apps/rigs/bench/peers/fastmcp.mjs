import { FastMCP } from "fastmcp"
import { z } from "zod"
import { addCard, BOARD_URI, board, echo, listedTools, TOGGLED } from "../src/workload.mjs"

const listed = z.strictObject({
  title: z.string().describe("What it is called"),
  count: z.int().min(0).optional(),
  urgent: z.boolean().optional().describe("Whether it has to be soon"),
})

const ignore = () => {}
const silent = { debug: ignore, error: ignore, info: ignore, log: ignore, warn: ignore }

export async function serve({ tools }) {
  const server = new FastMCP({ name: "bench", version: "1.0.0", ping: { enabled: false }, logger: silent })
  const putListed = (name, { description }) =>
    server.addTool({ name, description, parameters: listed, execute: async () => "" })
  for (const tool of listedTools(tools)) putListed(tool.name, tool)
  server.addTool({
    name: "echo",
    description: echo.description,
    parameters: z.object({ text: z.string() }),
    execute: async ({ text }) => JSON.stringify({ text }),
  })
  server.addTool({
    name: "read_board",
    description: "Reads the board",
    parameters: z.object({}),
    execute: async () => JSON.stringify(board),
  })
  server.addTool({
    name: "add",
    description: "Adds a card",
    parameters: z.strictObject({
      title: z.string().max(100),
      count: z.int().min(0).max(1_000),
      labels: z.array(z.string()).optional(),
    }),
    execute: async (args) => JSON.stringify(addCard(args)),
  })
  server.addResource({
    uri: BOARD_URI,
    name: "board",
    mimeType: "application/json",
    load: async () => ({ text: JSON.stringify(board) }),
  })
  let on = false
  const port = 20_000 + (process.pid % 20_000)
  await server.start({ transportType: "httpStream", httpStream: { port, host: "127.0.0.1" } })
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    toggle() {
      on = !on
      if (on) putListed(TOGGLED, listedTools(1)[0])
      else server.removeTool(TOGGLED)
    },
  }
}
