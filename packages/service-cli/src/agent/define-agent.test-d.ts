import { agentTool } from "./agent.js"
import { defineAgent } from "./define-agent.js"

// Compiled, not run: the types that an author gets.

defineAgent({
  name: "typed",
  description: "Its options and services have types",
  options: {
    detail: { type: "string", enum: ["brief", "long"], default: "brief" },
    lines: { type: "integer" },
    language: { type: "string" },
  },
  required: ["language"],
  services: { counter: { start: () => ({ count: 1 }), stop: (counter) => void counter.count.toFixed() } },
  tools: [
    agentTool({
      name: "explain",
      description: "Explain code",
      inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
      handler: ({ code }) => ({ result: code.length }),
    }),
    {
      name: "plain",
      description: "Takes anything",
      handler: async (input, ctx) => ({ result: [input["code"], ctx.input] }),
    },
  ],
  execute({ options, services, input, progress }) {
    const detail: "brief" | "long" = options.detail
    const language: string = options.language
    // @ts-expect-error: it may be absent.
    const lines: number = options.lines
    progress(`${services.counter.count.toFixed()} ${detail} ${language} ${lines}`)
    return { result: input.length }
  },
})

defineAgent({
  name: "wrong",
  description: "Hands back a bare value",
  // @ts-expect-error: it takes an object with "result".
  execute: () => 1,
})
