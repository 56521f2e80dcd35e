import { createMCPClient } from "@ai-sdk/mcp"
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio"
import { toAnswer } from "./to-answer.mjs"

/** Connects the AI SDK's own client. Lists the tools that a model would receive. */
export async function connect(target) {
  const transport = target.url === undefined ? new StdioMCPTransport(target) : { type: "http", url: target.url }
  const client = await createMCPClient({ transport })
  return {
    list: async () => Promise.all(Object.entries(await client.tools()).map(toTool)),
    call: async (name, args) => toAnswer(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  }
}

async function toTool([name, { inputSchema }]) {
  return { name, inputSchema: await inputSchema.jsonSchema }
}
