// An agent with notes, and with settings from file, environment and flags.
import { defineAgent, runAgent } from "@x/service-cli"

const inner = defineAgent({
  name: "inner",
  description: "Is set up by itself",
  config: { depth: { type: "integer", default: 1 } },
  execute({ config, environment, input }) {
    if (input === "throw") throw new Error("inner fault")
    return { result: { depth: config.depth, environment } }
  },
})

const agent = defineAgent({
  name: "set-up",
  description: "Says what it is set up with",
  readOnly: true,
  config: {
    url: { type: "string", pattern: "^https?://", default: "http://localhost", description: "Where it looks" },
    retries: { type: "integer", minimum: 0 },
    apiKey: { type: "string", minLength: 5, secret: true, required: process.env.NEEDS_KEY !== undefined },
    names: { type: "array", items: { type: "string" }, variable: "THE_NAMES" },
  },
  environment: ["WANTED", "ABSENT"],
  agents: { inner },
  services: { seen: { start: ({ config, environment }) => ({ url: config.url, environment }) } },
  tools: [
    {
      name: "leak",
      description: "Says what nobody is to read",
      destructive: true,
      handler(_, { config }) {
        throw new Error(`no access with ${config.apiKey}`)
      },
    },
    {
      name: "deeper",
      description: "Asks another",
      handler: async (_, { invoke }) => ({ result: await invoke("inner") }),
    },
    {
      name: "fault",
      description: "Asks another",
      handler: async (_, { invoke }) => ({ result: await invoke("inner", "throw") }),
    },
    {
      name: "note",
      description: "Writes down",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      handler: async ({ text }, { writeContext }) => ({ result: (await writeContext(text)).id }),
    },
    {
      name: "find",
      description: "Finds again",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      handler: async ({ text }, { searchContext }) => ({
        result: (await searchContext({ text })).map((note) => note.text),
      }),
    },
  ],
  execute: ({ config, environment, services }) => ({
    result: { config: { ...config }, key: config.apiKey?.length, environment, seen: services.seen },
  }),
})

await runAgent(agent, import.meta)
