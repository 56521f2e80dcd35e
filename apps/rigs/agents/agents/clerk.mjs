// An agent in one file, for compiling: options, a setting, notes, and another agent that it invokes.
import { defineAgent, runAgent } from "@x/service-cli"
import { scribe } from "./scribe.mjs"

const clerk = defineAgent({
  name: "clerk",
  version: "1.0.0",
  description: "Echoes its input",
  options: {
    tone: { type: "string", enum: ["plain", "loud"], default: "plain", description: "The tone of the answer" },
  },
  config: { sign: { type: "string", default: "!" } },
  agents: { scribe },
  tools: [
    {
      name: "keep",
      description: "Keeps a note",
      inputSchema: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
      handler: async ({ note }, { writeContext }) => ({ result: (await writeContext(note)).id }),
    },
    {
      name: "find",
      description: "Finds notes",
      inputSchema: { type: "object", properties: { words: { type: "string" } } },
      handler: async ({ words = "" }, { searchContext }) => ({
        result: (await searchContext(words)).map((note) => note.text),
      }),
    },
    {
      name: "delegate",
      description: "Delegates to the scribe",
      handler: async (_, { invoke }) => ({ result: await invoke("scribe", "this") }),
    },
    { name: "wait", description: "Never ends", handler: () => new Promise(() => {}) },
  ],
  timeoutMs: 2_000,
  execute: ({ input, options, config }) => ({
    result: options.tone === "loud" ? input.toUpperCase() + config.sign : input,
  }),
})

await runAgent(clerk, import.meta)
