import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveOAuth } from "../../mcp-upstream/test/oauth-site.js"

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

  it("says which servers of a file are refused and serves the others", async () => {
    const file = await write({ mcpServers: { one: board, bad: { url: "ws://127.0.0.1:1" } } })

    const checked = await run(file, "--check")
    const described = await run(file, "--describe")

    expect(checked.code).toBe(1)
    expect(checked.output).toMatch(/server "bad" is refused: \/mcpServers\/bad\/url: expected a URL[\s\S]*ok one/)
    expect(described.output).toContain("one__add")
  })

  it.each([{}, { versionNegotiation: { mode: "auto" } }] as const)(
    "answers a client at once though a server hangs, to %j",
    async (options) => {
      const hung = { command: process.execPath, args: ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)"] }
      const file = await write({ listWaitMs: 600_000, mcpServers: { hung, one: board } })
      const client = new Client({ name: "test", version: "0" }, options)

      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [MAIN, file, "--mcp"], stderr: "ignore" }),
      )
      onTestFinished(() => client.close())

      expect(client.getServerVersion()?.name).toBe("gateway")
    },
  )

  it("lists what has come within the operator's time", async () => {
    const hung = { command: process.execPath, args: ["-e", "process.stdin.resume(); setInterval(() => {}, 1000)"] }
    const file = await write({ listWaitMs: 0, mcpServers: { hung } })
    const client = new Client({ name: "test", version: "0" })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, file, "--mcp"], stderr: "ignore" }),
    )
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toContain("list_links")
  })

  it("signs in to a server on the page that it names, and a gateway that runs takes that in", async () => {
    const { url } = await serveOAuth()
    const file = await write({ mcpServers: { docs: { url } } })
    const client = new Client({ name: "test", version: "0" })
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, file, "--mcp"], stderr: "ignore" }),
    )
    onTestFinished(() => client.close())
    const before = await client.listTools()

    const code = await signIn(file)
    await changed
    const after = await client.listTools()

    expect(code).toBe(0)
    expect(before.tools.map(({ name }) => name)).not.toContain("docs__whoami")
    expect(after.tools.map(({ name }) => name)).toContain("docs__whoami")
    expect((await run(file, "--check")).output).toContain("ok docs: site 1, 1 tools")
  })

  it("says which servers can be signed in to", async () => {
    const file = await write({ mcpServers: { docs: { url: "http://127.0.0.1:9/mcp" }, one: board } })

    expect((await run(file, "--sign-in", "one")).code).toBe(2)
  })

  it("ends with 2 where every server is refused", async () => {
    const file = await write({ mcpServers: { bad: { url: "ws://127.0.0.1:1" } } })

    expect((await run(file, "--describe")).code).toBe(2)
  })

  it("says which tools are held back, and accepts them", async () => {
    const file = await write({ mcpServers: { one: board } })
    const held = { add: { name: "add", inputSchema: {} }, undo: { name: "undo", inputSchema: {} } }
    await writeFile(`${file}.seen`, JSON.stringify({ one: { accepted: {}, held } }))

    const shown = await run(file, "--accept")
    const [undo = ""] = /one\/undo@[0-9a-f]+/.exec(shown.output) ?? []

    expect(shown.output).toContain('+ name: "undo"')
    expect(await run(file, "--accept", undo)).toEqual({ code: 0, output: "accepted one/undo\n" })
    expect(await run(file, "--accept", undo)).toMatchObject({ code: 1 })
    expect((await run(file, "--accept")).output).not.toContain("undo")
  })

  it.each([
    ["without the digest of what was read", "one/undo", "no digest says"],
    ["with the digest of another definition", "one/undo@0123", "not the one you read"],
    ["for a whole server", "one", "no digest says"],
  ])("accepts no tool that is held back %s", async (_, what, said) => {
    const file = await write({ mcpServers: { one: board } })
    const held = { undo: { name: "undo", inputSchema: {} } }
    await writeFile(`${file}.seen`, JSON.stringify({ one: { accepted: {}, held } }))

    const { code, output } = await run(file, "--accept", what)

    expect([code, output]).toEqual([1, expect.stringContaining(said)])
    expect((await run(file, "--accept")).output).toContain("one/undo@")
  })

  it.each([
    ["a file that is not there", ["no-such.json", "--mcp"]],
    ["no file", []],
  ])("ends with 2 for %s", async (_, args) => {
    expect((await run(...args)).code).toBe(2)
  })
})

/** Signs in to the server "docs", as a person does who agrees at once. */
async function signIn(file: string): Promise<unknown> {
  const child = spawn(process.execPath, [MAIN, file, "--sign-in", "docs"], { stdio: ["ignore", "ignore", "pipe"] })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    const [page] = /http:\S+authorize\S+/.exec(text) ?? []
    if (page !== undefined) void fetch(page)
  })
  const [code] = await once(child, "close")
  return code
}

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
