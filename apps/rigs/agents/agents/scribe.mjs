// An agent that is a command of its own, and is bundled into another's.
import { defineAgent, runAgent } from "@x/service-cli"

export const scribe = defineAgent({
  name: "scribe",
  description: "Writes it down",
  options: { ink: { type: "string", enum: ["black", "blue"], default: "black" } },
  execute: ({ input, options }) => ({ result: `${input}, in ${options.ink}` }),
})

await runAgent(scribe, import.meta)
