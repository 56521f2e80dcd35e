// A FastMCP server with one member of each kind.
import { FastMCP, UserError } from "fastmcp"
import { z } from "zod"

const server = new FastMCP({ name: "fast", version: "1.0.0" })

server.addTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  annotations: { readOnlyHint: true, openWorldHint: false, title: "Add" },
  execute: async ({ a, b }) => String(a + b),
})
server.addTool({
  name: "refuse",
  description: "Fails",
  execute: async () => {
    throw new UserError("that is not allowed", { why: "house rules" })
  },
})
server.addTool({
  name: "steps",
  description: "Reports progress",
  execute: async (_, { reportProgress }) => {
    for (const progress of [1, 2, 3]) {
      await reportProgress({ progress, total: 3 })
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    return {
      content: [
        { type: "text", text: "done" },
        { type: "text", text: "twice" },
      ],
    }
  },
})
server.addTool({
  name: "chatter",
  description: "Writes log messages",
  execute: async (_, { log }) => {
    log.debug("a detail", { of: "no interest" })
    log.warn("a warning")
    return "said"
  },
})
server.addResource({
  uri: "file:///note",
  name: "Note",
  mimeType: "text/plain",
  load: async () => ({ text: "a note" }),
})
server.addResourceTemplate({
  uriTemplate: "fast://page/{id}",
  name: "Page",
  mimeType: "text/plain",
  arguments: [{ name: "id", required: true }],
  load: async ({ id }) => ({ text: `page ${id}` }),
})
server.addPrompt({
  name: "greet",
  description: "Greets",
  arguments: [{ name: "whom", required: true }],
  load: async ({ whom }) => `hello ${whom}`,
})
await server.start({ transportType: "stdio" })
