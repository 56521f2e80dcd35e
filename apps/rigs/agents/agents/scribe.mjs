// An agent with its own command, which is also bundled into another agent.
import { defineAgent, runAgent } from "@x/service-cli"

export const scribe = defineAgent({
  name: "scribe",
  description: "Writes a text in ink",
  options: { ink: { type: "string", enum: ["black", "blue"], default: "black" } },
  execute: ({ input, options }) => ({ result: `${input}, in ${options.ink}` }),
})

await runAgent(scribe, import.meta)
