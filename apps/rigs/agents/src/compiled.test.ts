import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bun } from "@x/runtimes"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type StartOptions, start } from "./start.js"

const folder = mkdtempSync(join(tmpdir(), "compiled-"))
const clerk = join(folder, "clerk")

// Runs outside every node_modules with an empty home folder, so the binary must be self-contained.
const env = { PATH: process.env["PATH"], HOME: folder }

const run = (args: readonly string[], options: Partial<StartOptions> = {}) =>
  start(clerk, args, { input: "", env, ...options }).ended

beforeAll(() => {
  const agent = join(import.meta.dirname, "..", "agents", "clerk.mjs")
  const { status, stderr } = spawnSync(bun(), ["build", "--compile", agent, "--outfile", clerk], { encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
})

afterAll(() => rmSync(folder, { recursive: true }))

describe("an agent that is compiled into one program", () => {
  it("runs as a command, on what it is given, what is piped in, and what it is set up with", async () => {
    expect(await run(["--context", "hi"])).toEqual({ code: 0, stdout: "hi\n", stderr: "" })
    expect(await run(["--tone", "loud"], { input: "hi" })).toMatchObject({ code: 0, stdout: "HI!\n" })
    expect(await run(["--tone", "loud", "--context", "hi", "--set", "sign=?"])).toMatchObject({ stdout: "HI?\n" })
    expect(await run(["--tone", "loud", "--context", "hi"], { env: { ...env, CLERK_SIGN: "." } })).toMatchObject({
      stdout: "HI.\n",
    })
  })

  it("runs itself, and not an agent that is bundled with it", async () => {
    expect(await run(["--version"])).toMatchObject({ code: 0, stdout: "1.0.0\n" })
    expect(await run(["delegate"])).toMatchObject({ code: 0, stdout: "this, in black\n" })
  })

  it("answers the handshake and the call that are piped in, and ends with its input", async () => {
    const lines = [
      {
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "test", version: "1.0" } },
      },
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "clerk", arguments: { context: "hello" } } },
    ]
    const input = lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("")

    const { code, stdout } = await run(["--mcp"], { input })

    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(answers.find(({ id }) => id === 1)).toMatchObject({
      result: { serverInfo: { name: "clerk", version: "1.0.0" } },
    })
    expect(answers.find(({ id }) => id === 2).result.tools.map(({ name }: { name: string }) => name)).toEqual([
      "clerk",
      "delegate",
      "find",
      "keep",
      "wait",
    ])
    expect(answers.find(({ id }) => id === 3)).toMatchObject({ result: { content: [{ type: "text", text: "hello" }] } })
  })

  it("serves over HTTP until it is told to end", async () => {
    const server = start(clerk, ["--http", "127.0.0.1:0"], { env })
    const [url] = await server.says(/http:\S+/)
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1.0" } },
      }),
    })
    await response.body?.cancel()
    server.kill("SIGTERM")

    expect(response.status).toBe(200)
    expect(await server.ended).toMatchObject({ code: 0 })
  })

  it("stores its notes in a bundled database", async () => {
    await run(["keep", "--note", "tea at five"])
    await run(["keep", "--note", "coffee at six"])

    expect(await run(["find", "--words", "tea"])).toEqual({ code: 0, stdout: '["tea at five"]\n', stderr: "" })
  })

  it("goes on while an action does, though that holds nothing, until its time is up", async () => {
    expect(await run(["wait"])).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("(timed_out)") })
  })

  it("says what is wrong, and exits with 2", async () => {
    expect(await run(["--tnoe", "loud"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown flag "--tnoe": did you mean "--tone"?'),
    })
  })
})
