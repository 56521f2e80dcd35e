import { ZodJsonSchemaAdapter } from "@tmcp/adapter-zod"
import { StdioTransport } from "@tmcp/transport-stdio"
import { McpServer } from "tmcp"
import { z } from "zod"
import { echo, listedTools } from "../src/workload.mjs"

const listed = z.strictObject({
  title: z.string().describe("What it is called"),
  count: z.int().min(0).optional(),
  urgent: z.boolean().optional().describe("Whether it has to be soon"),
})

export async function serve({ tools }) {
  const server = new McpServer(
    { name: "bench", version: "1.0.0", description: "What is measured" },
    { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: { listChanged: true } } },
  )
  for (const { name, description } of listedTools(tools)) {
    server.tool({ name, description, schema: listed }, () => ({ content: [] }))
  }
  server.tool({ name: "echo", description: echo.description, schema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text: JSON.stringify({ text }) }],
  }))
  new StdioTransport(server).listen()
  return {}
}
