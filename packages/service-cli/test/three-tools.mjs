// The multi-tool agent of the guide to MCP server mode.
import { defineAgent, runAgent } from "@x/service-cli"

const code = (description) => ({ type: "string", description })

export const agent = defineAgent({
  name: "code-helper",
  version: "1.0.0",
  description: "Reviews, explains, and improves code",
  mcpSupported: true,
  tools: [
    {
      name: "explain",
      description: "Explain what code does",
      inputSchema: {
        type: "object",
        properties: { code: code("Code to explain"), detail: { type: "string", enum: ["brief", "detailed"] } },
        required: ["code"],
      },
      handler: async () => ({ result: "This code does..." }),
    },
    {
      name: "suggest",
      description: "Suggest code improvements",
      inputSchema: {
        type: "object",
        properties: {
          code: code("Code to improve"),
          focus: { type: "string", enum: ["readability", "performance", "security"] },
        },
        required: ["code"],
      },
      handler: async () => ({ result: { suggestions: ["..."] } }),
    },
  ],
  execute: async () => ({ result: { findings: [] } }),
})

await runAgent(agent, import.meta)
