import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import { start } from "./start.fixture.js"
import { connect } from "./tour/connect.js"

/** The server over HTTP, on a free port. */
async function serve(...args: readonly string[]) {
  const program = start("main", "--headless", "--port", "0", ...args)
  const [printed, url = ""] = await program.said(/.*"type": "stdio".*served at (http:\S+)\n/s)
  return { program, printed, url }
}

describe("main", () => {
  it("serves over HTTP, and logs each call and each change", async () => {
    const { program, url } = await serve()
    const { client, close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(close)

    await client.callTool({ name: "add", arguments: { title: "Water the plants" } })

    const [, answer] = await program.said(/\d\d:\d\d:\d\d {2}call {5}add answered (.+) in \d+ ms\n/)
    const [, appeared] = await program.said(/\d\d:\d\d:\d\d {2}\+ tools {2}(.+)\n/)
    expect([answer, appeared]).toEqual(['{"id":"c4"}', "undo"])
  })

  it("writes a JSON line for each call on stderr, where it is told to", async () => {
    const { program, url } = await serve("--json")
    const { client, close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(close)

    await client.callTool({ name: "add", arguments: { title: "Water the plants" } })
    program.kill("SIGTERM")
    await program.ended

    const lines = program.output.stderr.trim().split("\n")
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 30, tool: "add", outcome: "ok" }])
    expect(program.output.stderr).not.toContain("plants")
    expect(program.output.stdout).not.toContain("call     ")
  })

  it("serves over stdio by the line it prints", async () => {
    const { printed } = await serve()
    const line = /claude mcp add board -- (.+)/.exec(printed)?.[1] ?? ""
    const transport = new StdioClientTransport({ command: "sh", args: ["-c", line], stderr: "ignore" })

    const { client, close } = await connect(transport)
    onTestFinished(close)

    expect(await client.callTool({ name: "open_card", arguments: { id: "c1" } })).not.toHaveProperty("isError")
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("open__close")
  })

  it("prints the same line for clients that are configured in JSON", async () => {
    const { printed } = await serve()
    const line = /claude mcp add board -- (.+)/.exec(printed)?.[1]
    const json = /Claude Desktop[^\n]+\n(.+?)\n\n/s.exec(printed)?.[1] ?? ""
    const { command, args } = JSON.parse(json).mcpServers.board

    expect([command, ...args].join(" ")).toBe(line?.replaceAll('"', ""))
  })

  it.each(["SIGINT", "SIGTERM"] as const)("ends with 0 on %s, though a client is connected", async (signal) => {
    const { program, url } = await serve()
    const { close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(close)

    program.kill(signal)

    expect(await program.ended).toEqual({ code: 0 })
  })

  it.each(["SIGINT", "SIGTERM"] as const)("ends within a second on %s, though a page is open", async (signal) => {
    const program = start("main", "--port", "0")
    const [, url = ""] = await program.said(/Open the board at (http:\S+)\n/)
    const { host, origin } = new URL(url)
    const page = new WebSocket(`ws://${host}/mcp/pages`, ["agentic-page.1"], { headers: { origin } })
    await once(page, "open")
    const left = once(page, "close")

    const asked = performance.now()
    program.kill(signal)

    expect(await program.ended).toEqual({ code: 0 })
    expect(performance.now() - asked).toBeLessThan(1_000)
    await left
  })

  it("says only that the port is taken, though no page is there yet", async () => {
    const { url } = await serve()
    const second = start("main", "--port", new URL(url).port)

    expect(await second.ended).toEqual({ code: 1 })
    expect(second.output.stderr).toMatch(/^port \d+ on "127\.0\.0\.1" is already in use[^\n]+\nSee --help[^\n]+\n$/)
  })

  it("ends with 0 over stdio when its client leaves [stdio-end]", async () => {
    const program = start("main", "--stdio")
    program.leave()

    expect(await program.ended).toEqual({ code: 0 })
    expect(program.output.stdout).toBe("")
  })

  it("loads no HTTP to serve over stdio", () => {
    const tell = `process.on("exit", () => console.error(process.moduleLoadList.join("\\n")))`
    const main = fileURLToPath(new URL("../dist/main.js", import.meta.url))
    const args = ["--import", `data:text/javascript,${encodeURIComponent(tell)}`, main, "--stdio", "--quiet"]
    const input = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })

    const { stdout, stderr } = spawnSync(process.execPath, args, { input, encoding: "utf8" })

    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: {} })
    expect(stderr).toContain("NativeModule stream")
    expect(stderr).not.toMatch(/^NativeModule _?http/m)
  })

  it("says so when the port is taken", async () => {
    const { url } = await serve()
    const second = start("main", "--headless", "--port", new URL(url).port)

    expect(await second.ended).toEqual({ code: 1 })
    expect(second.output.stderr).toContain(`port ${new URL(url).port} on "127.0.0.1" is already in use`)
  })

  it("offers an export where it is told how long that lasts", async () => {
    const { url } = await serve("--export", "60")
    const { client, close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
    onTestFinished(close)
    const page = start("main", "--port", "0", "--export", "60")

    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("export_board")
    await page.said(/Open the board at http:\S+\/\?export=60\n/)
  })

  it("says what is wrong with the command line", async () => {
    const program = start("main", "--prot", "1")

    expect(await program.ended).toEqual({ code: 1 })
    expect(program.output.stderr).toMatch(/'--prot'.*\nSee --help/)
  })

  it("says how it is started", async () => {
    const program = start("main", "--help")

    expect(await program.ended).toEqual({ code: 0 })
    expect(program.output.stdout).toContain("npm start -- --port 8080")
  })

  it("logs nothing with --quiet", async () => {
    const { program, url } = await serve("--quiet")
    const { client, close } = await connect(new StreamableHTTPClientTransport(new URL(url)))
    await client.callTool({ name: "clear" })
    await close()
    program.kill("SIGTERM")
    await program.ended

    expect(program.output.stdout).not.toContain("clear")
  })
})
