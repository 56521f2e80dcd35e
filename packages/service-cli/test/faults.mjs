// An agent that fails in every way.
import { fail } from "@x/agentic-service"
import { defineAgent, runAgent } from "@x/service-cli"

const tool = (name, handler) => ({ name, description: `Goes wrong: ${name}`, handler })

const agent = defineAgent({
  name: "faults",
  description: "Never ends",
  timeoutMs: 300,
  tools: [
    tool("throws", () => {
      throw new Error("no disk")
    }),
    tool("throws-text", () => {
      // biome-ignore lint/style/useThrowOnlyError: untyped code does.
      throw "no paper"
    }),
    tool("text", () => "hello"),
    tool("fails", () => fail("nothing to do", { code: "idle" })),
  ],
  execute: () => new Promise(() => {}),
})

await runAgent(agent, import.meta)
