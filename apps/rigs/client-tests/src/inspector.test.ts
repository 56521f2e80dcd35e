import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Demo, demo, startDemo } from "./demo.js"
import { runInspector } from "./inspector.js"

const eras = ["legacy", "modern", "auto"]

describe("the Inspector", () => {
  let running: Demo
  beforeAll(async () => {
    running = await startDemo()
  })
  afterAll(async () => {
    expect(await running.close()).toBe(0)
  })

  const legs: Record<string, (...options: readonly string[]) => Promise<Seen>> = {
    stdio: (...options) => inspect(...options, "--", demo.command, ...demo.args),
    HTTP: (...options) => inspect(running.url, "--transport", "http", ...options),
  }

  describe.each(Object.entries(legs))("over %s", (_, leg) => {
    it.each(eras)("finds no tool that some client cannot use, era %s", async (era) => {
      const { code, printed, stderr } = await leg("--protocol-era", era, "--method", "tools/list", "--strict")

      expect(code, stderr).toBe(0)
      expect(printed).toMatchObject({ result: { tools: expect.arrayContaining([named("add"), named("run_action")]) } })
    })

    it("calls a tool", async () => {
      const { code, printed } = await leg(...call("add", { title: "Water the plants" }))

      expect(code).toBe(0)
      expect(printed).toMatchObject({ result: { structuredContent: { id: expect.stringMatching(/^c\d+$/) } } })
    })

    it("is told why a tool refuses", async () => {
      const { code, printed } = await leg(...call("add", { title: "" }))

      expect(code).toBe(TOOL_FAILED)
      expect(printed).toMatchObject({
        result: { isError: true, content: [{ text: expect.stringContaining("title") }] },
      })
    })

    it("lists the states", async () => {
      const { code, printed } = await leg("--method", "resources/list")

      expect(code).toBe(0)
      expect(printed).toMatchObject({
        result: { resources: expect.arrayContaining([expect.objectContaining({ uri: SUMMARY })]) },
      })
    })

    it("reads a state", async () => {
      const { code, printed } = await leg("--method", "resources/read", "--uri", SUMMARY)

      expect(code).toBe(0)
      expect(printed).toMatchObject({ result: { contents: [{ uri: SUMMARY, mimeType: "text/markdown" }] } })
    })
  })
})

const SUMMARY = "agentic://board/summary"
const TOOL_FAILED = 5

interface Seen {
  readonly code: number
  readonly printed: unknown
  readonly stderr: string
}

async function inspect(...args: readonly string[]): Promise<Seen> {
  const { code, stdout, stderr } = await runInspector(["--format", "json", ...args])
  return { code, printed: stdout === "" ? undefined : JSON.parse(stdout), stderr }
}

function call(name: string, args: object): readonly string[] {
  return ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)]
}

function named(name: string): unknown {
  return expect.objectContaining({ name })
}
