import { describe, expect, it } from "vitest"
import { CliError } from "../cli-error.js"
import { defineAgent } from "./define-agent.js"

const agent = { name: "agent", description: "An agent", execute: () => ({ result: 1 }) }
const tool = { name: "tool", description: "A tool", handler: () => undefined }

describe("defineAgent", () => {
  it.each([
    ["a name that no client can call", { ...agent, name: "my agent" }],
    ["a tool with such a name", { ...agent, tools: [{ ...tool, name: "1st" }] }],
    ["two tools of one name", { ...agent, tools: [tool, tool] }],
    ["a tool of the agent's name", { ...agent, tools: [{ ...tool, name: "agent" }] }],
    ["an option with the name of its text", { ...agent, options: { context: { type: "string" as const } } }],
    ["a tool without a description", { ...agent, tools: [{ ...tool, description: " " }] }],
    ["an unknown option", { ...agent, mcpSuported: false }],
    ["an invalid time", { ...agent, timeoutMs: -1 }],
    ["an invalid limit", { ...agent, invoke: { depth: 0 } }],
  ])("rejects %s", (_, definition) => {
    expect(() => defineAgent(definition)).toThrow(expect.objectContaining({ code: "invalid_definition" }))
    expect(() => defineAgent(definition)).toThrow(CliError)
  })

  it("creates a service whose action checks its input like any other", async () => {
    const made = defineAgent({
      ...agent,
      options: { lines: { type: "integer" } },
      required: ["lines"],
      execute: ({ options }) => ({ result: options.lines + 1 }),
    })

    expect(await made.execute("agent", { lines: 1 })).toEqual({ ok: true, value: 2 })
    expect(await made.execute("agent", {})).toMatchObject({ ok: false, code: "invalid_input" })
  })

  it("starts its services once for concurrent calls, and again after a failure", async () => {
    let started = 0
    const made = defineAgent({
      ...agent,
      services: {
        one: {
          async start() {
            started += 1
            if (started === 1) throw new Error("not yet")
            return started
          },
        },
      },
      execute: ({ services }) => ({ result: services.one }),
    })

    await expect(made.start()).rejects.toThrow('service "one" could not be started: not yet')
    const calls = await Promise.all([made.execute("agent", {}), made.execute("agent", {})])

    expect(calls).toEqual([
      { ok: true, value: 2 },
      { ok: true, value: 2 },
    ])
  })

  it("stops services one after the other, last started first", async () => {
    const stopped: string[] = []
    const service = (name: string) => ({ start: () => name, stop: (handle: string) => void stopped.push(handle) })
    const made = defineAgent({ ...agent, services: { a: service("a"), b: service("b"), c: service("c") } })

    await made.start()
    await made.stop()
    await made.stop()

    expect(stopped).toEqual(["c", "b", "a"])
  })

  it("reports progress that only grows, whatever form it is given in", async () => {
    const heard: unknown[] = []
    const made = defineAgent({
      ...agent,
      execute({ progress }) {
        progress("reading")
        progress({ progress: 5, total: 10 })
        progress("done")
        return undefined
      },
    })
    const { signal } = new AbortController()

    await made.execute("agent", {}, { signal, answers: {}, progress: (progress) => heard.push(progress) })

    expect(heard).toEqual([
      { progress: 1, message: "reading" },
      { progress: 5, total: 10 },
      { progress: 6, message: "done" },
    ])
  })
})
