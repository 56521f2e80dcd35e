import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { run, runWith, start } from "./start.js"

const initialize = {
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "test", version: "1.0" } },
}
const toLine = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`

describe("--mcp", () => {
  it("serves over stdio, and exits with 0 when its input ends", async () => {
    const input = toLine(initialize) + toLine({ id: 2, method: "tools/call", params: { name: "help__read" } })
    const { code, stdout, stderr } = await runWith({ input, env: { SAY_BYE: "1" } }, "board", "--mcp")

    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { id: 1, result: { protocolVersion: "2024-11-05", serverInfo: { name: "board", version: "1.2.3" } } },
      { id: 2, result: { content: [{ type: "text", text: "text" }] } },
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "bye\n" })
  })

  it("survives a message of 10 MB", async () => {
    const server = start("board", "--mcp")
    server.write(toLine(initialize))
    server.write(
      toLine({ id: 2, method: "tools/call", params: { name: "say", arguments: { value: "x".repeat(1e7) } } }),
    )
    server.write(toLine({ id: 3, method: "ping" }))
    await server.says(/"id":3/)
    server.leave()

    expect(await server.ended).toMatchObject({ code: 0 })
  })

  it("logs each call to a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "service-cli-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const log = join(folder, "calls.jsonl")
    const call = (id: number, name: string): string => toLine({ id, method: "tools/call", params: { name } })
    const input = toLine(initialize) + call(2, "help__read") + call(3, "lose")
    await runWith({ input }, "board", "--mcp", "--log", log)

    const notes = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(notes).toHaveLength(2)
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tool: "help__read", path: "help", key: "read", transport: "stdio", outcome: "ok" }),
        expect.objectContaining({ tool: "lose", path: "", key: "lose", level: "warn", outcome: "nothing" }),
      ]),
    )
  })
})

describe("--http", () => {
  it("serves at the printed URL, and exits with 0 on a signal", async () => {
    const server = start("board", "--http", "127.0.0.1:0")
    const [url = ""] = await server.says(/http:\S+/)
    const client = new Client({ name: "test", version: "1.0" })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    const answer = await client.callTool({ name: "say", arguments: { value: "hello" } })
    await client.close()
    server.kill("SIGTERM")

    expect(answer).toMatchObject({ structuredContent: { result: "hello" } })
    expect(await server.ended).toMatchObject({ code: 0, stderr: "" })
  })

  it("exits with 1 if the port is taken", async () => {
    const server = start("board", "--http", "0")
    const [url = ""] = await server.says(/http:\S+/)
    const { port } = new URL(url)

    expect(await run("board", "--http", port)).toMatchObject({ code: 1, stderr: expect.stringContaining(port) })
  })
})

describe("--describe", () => {
  it("lists the tools as MCP does, and the states", async () => {
    const { code, stdout } = await run("board", "--describe")
    const described = JSON.parse(stdout)

    expect(code).toBe(0)
    expect(described).toMatchObject({ name: "board", version: "1.2.3", description: "A board of cards" })
    expect(described.tools).toContainEqual({
      name: "columns__todo__rename",
      description: "Rename the column",
      inputSchema: expect.objectContaining({ type: "object", required: ["title"] }),
      outputSchema: expect.anything(),
      annotations: expect.anything(),
    })
    expect(described.states).toContainEqual(expect.objectContaining({ uri: "agentic://board/cards" }))
  })
})

describe("--watch", () => {
  it("prints a state as a line of JSON, now and on every change, until a signal arrives", async () => {
    const watch = start("board", "--watch", "count")
    await watch.says(/"value":2/)
    watch.kill("SIGUSR2")
    await watch.says(/"value":3/)
    watch.kill("SIGTERM")

    expect(await watch.ended).toEqual({
      code: 0,
      stdout: '{"state":"count","value":2}\n{"state":"count","value":3}\n',
      stderr: "",
    })
  })

  it("prints all states if none is named", async () => {
    const watch = start("board", "--watch")
    await watch.says(/"state":"columns\/todo\/title","value":"todo"/)
    watch.kill("SIGINT")

    expect(await watch.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('{"state":"cards","value":[') })
  })
})

describe("--completion", () => {
  it.each(["bash", "zsh", "fish"])("prints a script for %s that calls the command", async (shell) => {
    const { code, stdout } = await run("board", "--completion", shell)

    expect(code).toBe(0)
    expect(stdout).toContain("board --complete complete -- ")
  })

  it("offers actions, flags, choices and states", async () => {
    const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await run("board", "--complete", "complete", "--", ...words)
      return stdout.split("\n").flatMap((line) => (line.includes("\t") ? [line.split("\t")[0] ?? ""] : []))
    }

    expect(await offered("a")).toEqual(["add"])
    expect(await offered("columns/to")).toEqual(["columns/todo/rename"])
    expect(await offered("add", "--ti")).toEqual(["--title"])
    expect(await offered("add", "--column", "do")).toEqual(["doing", "done"])
    expect(await offered("--watch", "co")).toEqual(expect.arrayContaining(["count", "columns/todo/title"]))
  })

  it("offers nothing that a shell would expand", async () => {
    const { stdout } = await run("board", "--complete", "complete", "--", "columns")

    expect(stdout).not.toContain("$")
  })
})
