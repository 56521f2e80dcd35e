import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"

type Example = "note-taker" | "review-diff" | "travel-desk"

/** Runs an example as a person does, with something piped in. */
function run(
  example: Example,
  args: readonly string[],
  { input = "", env = {} }: { input?: string; env?: object } = {},
) {
  const program = fileURLToPath(new URL(`../dist/${example}.js`, import.meta.url))
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  child.stdin.on("error", () => undefined)
  child.stdin.end(input)
  return new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, stdout, stderr })),
  )
}

const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,5 @@
 const one = 1
-const two = 2
+const two = 2 // TODO: three
+console.log(one)
 export {}
+const token = "ghp_0123456789"
`

describe("review-diff", () => {
  it("reviews the lines that a diff adds, at their line numbers in the new file", async () => {
    const { code, stdout } = await run("review-diff", [], { input: DIFF })

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      all: 3,
      findings: [
        { file: "src/a.ts", line: 2, rule: "an open to-do", text: "const two = 2 // TODO: three" },
        { file: "src/a.ts", line: 3, rule: "a leftover of debugging", text: "console.log(one)" },
        { file: "src/a.ts", line: 5, rule: "a secret", text: "…" },
      ],
    })
  })

  it("is configured by the environment and by flags", async () => {
    const args = ["--set", 'ignore=["src/"]']

    expect(JSON.parse((await run("review-diff", args, { input: DIFF })).stdout)).toEqual({ all: 0, findings: [] })
    expect((await run("review-diff", ["rules"], { env: { REVIEW_DIFF_WIDTH: "80" } })).stdout).toContain(
      "80 characters",
    )
  })
})

describe("note-taker", () => {
  it("finds a note of an earlier call in a later one", async () => {
    const state = mkdtempSync(join(tmpdir(), "notes-"))
    onTestFinished(() => rmSync(state, { recursive: true }))
    const env = { XDG_STATE_HOME: state }

    const said = await run("note-taker", ["--title", "Boiler", "--tags", "house"], { env, input: "Serviced in May\n" })
    await run("note-taker", ["--context", "The roof leaks"], { env })
    const found = await run("note-taker", ["find", "--words", "service", "--tags", "house"], { env })

    expect(said).toMatchObject({ code: 0, stdout: "saved as note 1\n" })
    expect(JSON.parse(found.stdout)).toMatchObject([{ title: "Boiler", text: "Serviced in May", tags: ["house"] }])
  })
})

describe("travel-desk", () => {
  const ask = (text: string, more: object = {}) =>
    run("travel-desk", ["desk", "--json", JSON.stringify({ user_message: { text }, ...more })])

  it("lets its agents ask each other, while the client keeps the conversation", async () => {
    const { code, stdout } = await ask("A window seat to Lisbon, with a surfboard")
    const [value = "", source = ""] = stdout.split("\n")

    const answer = JSON.parse(value)
    expect(code).toBe(0)
    expect(answer.text).toBe("Seat 3A is yours. Sports baggage costs 40.")
    expect(JSON.parse(source)).toMatchObject({ type: "resource_link", uri: "https://example.com/tariff" })
    expect(answer.chat_context.chat_histories[0].messages.map(({ type }: { type: string }) => type)).toEqual([
      "HUMAN",
      "AGENT",
      "AGENT",
      "AI",
    ])
    expect(stdout).not.toContain("hold")

    const second = await ask("And to Oslo?", { chat_context: answer.chat_context })
    expect(JSON.parse(second.stdout).chat_context.chat_histories[0].messages).toHaveLength(8)
  })

  it("passes on an invoked agent's failure as its own", async () => {
    expect(await ask("To the moon")).toMatchObject({ code: 1, stderr: expect.stringContaining("no_flight") })
  })

  it("lists only the agents that may be asked", async () => {
    const { stdout } = await run("travel-desk", ["--describe"])

    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toEqual(["baggage", "desk"])
  })
})
