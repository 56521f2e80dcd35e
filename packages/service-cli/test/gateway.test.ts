import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"

const MAIN = fileURLToPath(new URL("../dist/gateway/main.js", import.meta.url))
const BOARD = fileURLToPath(new URL("board.mjs", import.meta.url))
const board = { command: process.execPath, args: [BOARD, "--mcp"] }

describe("mcp-gateway", () => {
  it("serves the servers of a file over standard input and output", async () => {
    const file = await write({ name: "desk", mcpServers: { one: board, two: board } })
    const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, file, "--mcp"], stderr: "ignore" }),
    )
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()
    const { content } = await client.callTool({
      name: "run_action",
      arguments: { name: "two__add", arguments: { title: "tea" } },
    })

    expect(client.getServerVersion()?.name).toBe("desk")
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["one__add", "two__add"]))
    expect(JSON.stringify(content)).not.toContain("not_available")
  })

  it("says what is wrong with each server", async () => {
    const file = await write({ mcpServers: { one: board, none: { command: "no-such-program" } } })

    const { code, output } = await run(file, "--check")

    expect(code).toBe(1)
    expect(output).toMatch(/ok one: .* tools.*\nfailed none: there is no program "no-such-program"/)
  })

  it("says which tools are held back, and accepts them", async () => {
    const file = await write({ mcpServers: { one: board } })
    const held = { add: { name: "add", inputSchema: {} }, undo: { name: "undo", inputSchema: {} } }
    await writeFile(`${file}.seen`, JSON.stringify({ one: { accepted: {}, held } }))

    expect(await run(file, "--accept")).toEqual({ code: 0, output: "one/add\none/undo\n" })
    expect(await run(file, "--accept", "one/undo")).toEqual({ code: 0, output: "accepted one/undo\n" })
    expect(await run(file, "--accept", "one/undo")).toMatchObject({ code: 1 })
    expect(await run(file, "--accept")).toEqual({ code: 0, output: "one/add\n" })
  })

  it.each([
    ["a file that is not there", ["no-such.json", "--mcp"]],
    ["no file", []],
  ])("ends with 2 for %s", async (_, args) => {
    expect((await run(...args)).code).toBe(2)
  })
})

async function run(...args: readonly string[]): Promise<{ readonly code: unknown; readonly output: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "ignore"] })
  let output = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text
  })
  const [code] = await once(child, "close")
  return { code, output }
}

async function write(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "gateway.json")
  await writeFile(file, JSON.stringify(config))
  return file
}
