import { agentTool } from "./agent-definition.js"
import { defineAgent } from "./define-agent.js"
import type { SetUp } from "./settings.js"

// Compiled, not run: checks the types that authors get.

defineAgent({
  name: "typed",
  description: "Its options and services have types",
  options: {
    detail: { type: "string", enum: ["brief", "long"], default: "brief" },
    lines: { type: "integer" },
    language: { type: "string" },
  },
  required: ["language"],
  config: {
    url: { type: "string", required: true },
    retries: { type: "integer", default: 3 },
    level: { type: "string", enum: ["low", "high"] },
  },
  environment: ["HOME"],
  services: {
    counter: {
      start: ({ config }: SetUp) => ({ count: Number(config["retries"]) }),
      stop: (counter) => void counter.count.toFixed(),
    },
  },
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
  execute({ options, services, config, environment, input, progress }) {
    const detail: "brief" | "long" = options.detail
    const language: string = options.language
    // @ts-expect-error: it may be absent.
    const lines: number = options.lines
    const url: string = config.url
    const retries: number = config.retries
    const level: "low" | "high" | undefined = config.level
    const home: string | undefined = environment["HOME"]
    // @ts-expect-error: there is no such setting.
    const other: unknown = config.other
    progress(`${url}${retries}${level}${home}${other}`)
    progress(`${services.counter.count.toFixed()} ${detail} ${language} ${lines}`)
    return { result: input.length }
  },
})

defineAgent({
  name: "wrong",
  description: "Hands back a bare value",
  // @ts-expect-error: expected an object with "result".
  execute: () => 1,
})
