// The agent of the guide to MCP server mode: ten lines, one tool.
import { defineAgent, runAgent } from "@x/service-cli"

export const agent = defineAgent({
  name: "my-agent",
  version: "1.0.0",
  description: "Does something useful",
  mcpSupported: process.env.NO_MCP === undefined,
  execute: async (ctx) => ({ result: `Processed: ${ctx.input}` }),
})

await runAgent(agent, import.meta)
