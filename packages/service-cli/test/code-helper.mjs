// An agent with everything: options, further tools, services, invoked agents, and agents that invoke each other.
import { fail } from "@x/agentic-service"
import { agentTool, defineAgent, runAgent } from "@x/service-cli"

const say = (line) => process.stderr.write(`${line}\n`)

const reviewer = defineAgent({
  name: "reviewer",
  description: "Finds one thing",
  services: { rules: { start: () => say("rules started"), stop: () => say("rules stopped") } },
  execute: ({ input, progress }) => {
    progress("looking")
    return input === "bad" ? fail("it is bad", { code: "bad" }) : { result: `one thing in ${input}` }
  },
})

const sleeper = defineAgent({
  name: "sleeper",
  description: "Sleeps for ever",
  execute: () => new Promise(() => {}),
})

/** Each agent invokes the next, and the last one the first. */
const ring = [1, 2, 3].map((number) =>
  defineAgent({
    name: `ring${number}`,
    description: "Invokes the next",
    agents: { next: () => ring[number % 3] },
    execute: ({ invoke }) => invoke("next").then((result) => ({ result })),
  }),
)

const chain = (name, length) =>
  defineAgent({
    name: `${name}${length}`,
    description: "Invokes the next",
    agents: length === 0 ? {} : { next: chain(name, length - 1) },
    execute: async ({ invoke }) => ({ result: length === 0 ? "end" : await invoke("next") }),
  })

let started = 0

export const agent = defineAgent({
  name: "code-helper",
  version: "1.0.0",
  description: "Reviews, explains, and improves code",
  options: {
    focus: { type: "string", enum: ["readability", "security"], default: "readability", description: "What matters" },
    lines: { type: "integer" },
  },
  agents: { reviewer, sleeper, ring: ring[0], short: chain("short", 3), long: chain("long", 4) },
  services: {
    parser: {
      start() {
        if (process.env.NO_PARSER) throw new Error("no parser here")
        started += 1
        say("parser started")
        return { parse: (code) => code.length, started }
      },
      stop: () => say("parser stopped"),
    },
  },
  tools: [
    agentTool({
      name: "explain",
      description: "Explain what code does",
      inputSchema: {
        type: "object",
        properties: {
          code: { type: "string", description: "Code to explain" },
          detail: { type: "string", enum: ["brief", "detailed"] },
        },
        required: ["code"],
      },
      handler: async ({ code, detail = "brief" }, ctx) => {
        ctx.progress("reading")
        return { result: `${detail}: ${ctx.services.parser.parse(code)} characters` }
      },
    }),
    { name: "suggest-more", description: "Suggest", handler: async () => ({ result: { suggestions: ["..."] } }) },
    { name: "broken", description: "Hands back what is no result", handler: () => ({ answer: 1 }) },
    {
      name: "ask",
      description: "Invoke another",
      inputSchema: { type: "object", properties: { agent: { type: "string" }, code: { type: "string" } } },
      handler: async ({ agent: name, code }, ctx) => ({ result: await ctx.invoke(name, code, { timeoutMs: 30_000 }) }),
    },
    {
      name: "hurry",
      description: "Invoke what never ends",
      handler: async (_, { invoke }) => ({ result: await invoke(sleeper, "", { timeoutMs: 50 }) }),
    },
    {
      name: "slow",
      description: "Ends when told to by the environment",
      handler: async (_, { progress, services }) => {
        progress("running")
        say("running")
        await new Promise((resolve) => process.once("SIGUSR2", resolve))
        return { result: `done with parser ${services.parser.started}` }
      },
    },
    { name: "hang", description: "Never ends", handler: () => new Promise(() => say("hanging")) },
  ],
  execute: async ({ input, options }) => ({ result: { findings: [], input, options } }),
})

await runAgent(agent, import.meta, { stdio: { drainMs: Number(process.env.DRAIN ?? 5_000) } })
