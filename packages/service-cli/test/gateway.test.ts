import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { describe, expect, it, onTestFinished } from "vitest"
import { serveOAuth } from "../../mcp-upstream/test/oauth-site.js"
import { startRecorder } from "../../mcp-upstream/test/recorder.js"

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

  it("says which profile each known client would get, and one that is named", async () => {
    const profiles = { claude: { clients: ["claude-*"], allow: ["one/add"] }, rest: { deny: ["one/clear"] } }
    const file = await write({ mcpServers: { one: board }, profiles })

    const { output } = await run(file, "--check")

    expect(output).toMatch(/profile claude: 1 of \d+ tools, for clients claude-\*; .*Claude Code/)
    expect(output).toMatch(/profile rest: \d+ of \d+ tools, for clients of any name; .*Cursor/)
    expect((await run(file, "--check", "--client=claude-code")).output).toBe('profile "claude"\n')
    expect((await run(file, "--check", "--principal=ann")).output).toBe('profile "rest"\n')
  })

  it("shows a client what its profile says, and follows the file", async () => {
    const few = (more: object) => ({ mcpServers: { one: board }, profiles: { few: { clients: ["few"], ...more } } })
    const file = await write(few({ allow: ["one/add"] }))
    const client = new Client({ name: "few", version: "0" })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [MAIN, file, "--mcp"], stderr: "ignore" }),
    )
    onTestFinished(() => client.close())
    const ofOne = async () => {
      const { tools } = await client.listTools()
      return tools.map(({ name }) => name).filter((name) => name.startsWith("one__"))
    }
    const before = await ofOne()
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })

    await writeFile(file, JSON.stringify(few({ deny: ["one"] })))
    await changed

    expect(before).toEqual(["one__add"])
    expect(await ofOne()).toEqual([])
  })

  it.each([{}, { versionNegotiation: { mode: "auto" } }] as const)(
    "signs in the callers of a file over HTTP, each with credentials and a profile of their own, to %j",
    async (options) => {
      const { url: site, requests } = await startRecorder("modern")
      const perCaller = { callers: { ann: { headers: { authorization: "Bearer secret-of-ann" } } } }
      const file = await write({
        callers: { ann: { token: "token-of-ann-000001" }, bob: { token: "token-of-bob-000002" } },
        profiles: { few: { principals: ["ann"], deny: ["one/clear"] } },
        mcpServers: { one: board, site: { url: site, perCaller } },
      })
      const url = await startHttp(file)
      const connect = async (token: string): Promise<Client> => {
        const client = new Client({ name: "test", version: "0" }, options)
        const requestInit = { headers: { authorization: `Bearer ${token}` } }
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
        onTestFinished(() => client.close())
        return client
      }
      const [ann, bob] = [await connect("token-of-ann-000001"), await connect("token-of-bob-000002")]
      const [annsTools, bobsTools] = [await ann.listTools(), await bob.listTools()].map(({ tools }) =>
        tools.map(({ name }) => name),
      )
      const { content } = await ann.callTool({ name: "site__whoami", arguments: { as: "ann" } })

      expect((await fetch(url, { method: "POST" })).status).toBe(401)
      await expect(connect("token-of-nobody-0001")).rejects.toThrow()
      expect(annsTools).toEqual(expect.arrayContaining(["one__add", "site__whoami"]))
      expect(annsTools).not.toContain("one__clear")
      expect(bobsTools).toEqual(expect.arrayContaining(["one__add", "one__clear"]))
      expect(bobsTools).not.toContain("site__whoami")
      expect(content).toEqual([{ type: "text", text: "Bearer secret-of-ann" }])
      expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer secret-of-ann"]))
    },
  )

  it("reports a file's invalid servers and serves the others", async () => {
    const file = await write({ mcpServers: { one: board, bad: { url: "ws://127.0.0.1:1" } } })

    const checked = await run(file, "--check")
    const described = await run(file, "--describe")

    expect(checked.code).toBe(1)
    expect(checked.output).toMatch(/server "bad" is refused: \/mcpServers\/bad\/url: expected a URL[\s\S]*ok one/)
    expect(described.output).toContain("one__add")
  })

  it.each([{}, { versionNegotiation: { mode: "auto" } }] as const)(
    "answers a client at once although a server hangs, to %j",
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

  it("lists the servers that started within the operator's time", async () => {
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

  it("signs in to a server on its page, and a running gateway uses the new tokens", async () => {
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
    expect((await run(file, "--check")).output).toContain("ok docs: site 1, 1 tool,")
  })

  it("signs in again for scopes that a server requires only then", async () => {
    const { url, asked } = await serveOAuth({ wants: (method) => (method === "tools/list" ? "read" : undefined) })
    const file = await write({ mcpServers: { docs: { url } } })

    expect(await signIn(file)).toBe(0)

    expect(asked()).toEqual(["base", "base read"])
    expect((await run(file, "--check")).output).toContain("ok docs: site 1, 1 tool,")
  })

  it("lists the servers that support sign-in", async () => {
    const file = await write({ mcpServers: { docs: { url: "http://127.0.0.1:9/mcp" }, one: board } })

    expect((await run(file, "--sign-in", "one")).code).toBe(2)
  })

  it("exits with 2 if all servers are invalid", async () => {
    const file = await write({ mcpServers: { bad: { url: "ws://127.0.0.1:1" } } })

    expect((await run(file, "--describe")).code).toBe(2)
  })

  it("lists the tools that are held back, and accepts them", async () => {
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
    ["without a digest", "one/undo", "the digest of the definition is missing"],
    ["with the digest of another definition", "one/undo@0123", "its definition has changed since that digest"],
    ["for a whole server", "one", "the digest of the definition is missing"],
  ])("accepts no held-back tool %s", async (_, what, said) => {
    const file = await write({ mcpServers: { one: board } })
    const held = { undo: { name: "undo", inputSchema: {} } }
    await writeFile(`${file}.seen`, JSON.stringify({ one: { accepted: {}, held } }))

    const { code, output } = await run(file, "--accept", what)

    expect([code, output]).toEqual([1, expect.stringContaining(said)])
    expect((await run(file, "--accept")).output).toContain("one/undo@")
  })

  it.each([
    ["a missing file", ["no-such.json", "--mcp"]],
    ["no file", []],
  ])("exits with 2 for %s", async (_, args) => {
    expect((await run(...args)).code).toBe(2)
  })
})

/** Starts the command over HTTP, and returns its URL. */
async function startHttp(file: string): Promise<URL> {
  const child = spawn(process.execPath, [MAIN, file, "--http", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  for await (const text of child.stdout.setEncoding("utf8")) {
    const [url] = /http:\S+/.exec(String(text)) ?? []
    if (url !== undefined) return new URL(url)
  }
  throw new Error("ended without a URL")
}

/** Signs in to the server "docs", as a person who agrees at once. */
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
