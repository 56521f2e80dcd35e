import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { firstValueFrom, NEVER } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  checkGateway,
  createGateway,
  followGatewayFile,
  type GatewayConfig,
  parseGatewayConfig,
  readGatewayFile,
} from "../src/node.js"
import { connectTo } from "./servers.js"

const SERVER = fileURLToPath(new URL("fake-server.mjs", import.meta.url))
const fake = (more: object = {}): GatewayConfig["mcpServers"][string] => ({
  command: process.execPath,
  args: [SERVER],
  ...more,
})

describe("createGateway", () => {
  it("has each server under its name, and one without", async () => {
    const { client } = await open({ mcpServers: { one: fake(), two: fake({ prefix: false }) } })

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["one__pid", "one__die", "pid", "die"]))
  })

  it("serves only the included tools", async () => {
    const { client } = await open({ mcpServers: { one: fake({ include: ["p*"] }), two: fake({ exclude: ["p*"] }) } })

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name).filter((name) => name.includes("__"))).toEqual(["one__pid", "two__die"])
  })

  it("calls servers and tools what the file says", async () => {
    const { client } = await open({ mcpServers: { one: fake({ as: "first", rename: { pid: "who" } }) } })

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["first__who", "first__die"]))
    expect(await client.callTool({ name: "first__who" })).toMatchObject({
      content: [{ text: expect.stringMatching(/^\d+$/) }],
    })
  })

  it("calls the tools of the server without a prefix what the file says", async () => {
    const { client } = await open({ mcpServers: { one: fake({ prefix: false, rename: { pid: "who" } }) } })

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["who", "die"]))
  })

  it("leaves a tool its name where the new one is another tool's", async () => {
    const { client } = await open({ mcpServers: { one: fake({ rename: { pid: "die" } }) } })

    const { tools } = await client.listTools()

    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["one__pid", "one__die"]))
  })

  it("applies another configuration and keeps unchanged servers connected", async () => {
    const { client, gateway } = await open({ mcpServers: { one: fake(), two: fake() } })
    await client.listTools()
    const before = await client.callTool({ name: "one__pid" })

    const changed = gateway.apply({ mcpServers: { one: fake(), three: fake() } })
    await firstValueFrom(gateway.servers().get("three")?.actions ?? NEVER)
    const { tools } = await client.listTools()

    expect(changed).toEqual(["two", "three"])
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["one__pid", "three__pid"]))
    expect((await client.callTool({ name: "one__pid" })).content).toEqual(before.content)
  })

  it("keeps a server connected whose next entry says the same in objects of another kind", async () => {
    const { client, gateway } = await open({ mcpServers: { one: fake({ env: { A: "1" } }) } })
    await client.listTools()
    const before = await client.callTool({ name: "one__pid" })
    const bare = <Fields extends object>(fields: Fields): Fields => Object.assign(Object.create(null), fields)

    const same = gateway.apply({ mcpServers: bare({ one: bare(fake({ env: bare({ A: "1" }), cwd: undefined })) }) })
    const again = gateway.apply({ mcpServers: { one: fake({ env: { A: "1" } }) } })

    expect([same, again]).toEqual([[], []])
    expect((await client.callTool({ name: "one__pid" })).content).toEqual(before.content)
  })

  it("starts a server anew whose entry was changed in place", async () => {
    const env = { A: "1" }
    const config = { mcpServers: { one: fake({ env }) } }
    const { gateway } = await open(config)

    env.A = "2"

    expect(gateway.apply(config)).toEqual(["one"])
    expect(gateway.apply(config)).toEqual([])
  })

  it("keeps two servers with the same tools apart", async () => {
    const { client } = await open({ mcpServers: { one: fake(), two: fake() } })
    await client.listTools()

    const [one, two] = await Promise.all(["one__pid", "two__pid"].map((name) => client.callTool({ name })))

    expect(one?.content).not.toEqual(two?.content)
  })
})

describe("followGatewayFile", () => {
  it("follows the file, even if an editor replaces it, and keeps its configuration if the new one is invalid", async () => {
    const file = await write({ mcpServers: { one: fake() } })
    const { gateway } = await open(JSON.parse(await readFile(file, "utf8")))
    const told: unknown[] = []
    let heard = () => {}
    const tell = (what: unknown) => {
      told.push(what)
      heard()
    }
    const next = () =>
      new Promise<void>((resolve) => {
        heard = resolve
      })
    const stop = followGatewayFile(gateway, file, {
      applied: tell,
      failed: ({ code }) => tell(code),
    })
    onTestFinished(stop)

    let wait = next()
    await writeFile(file, "{")
    await wait
    wait = next()
    await writeFile(`${file}.new`, JSON.stringify({ mcpServers: { one: fake(), two: fake() } }))
    await rename(`${file}.new`, file)
    await wait

    expect(told).toEqual(["invalid_config", ["two"]])
    expect([...gateway.servers().keys()]).toEqual(["one", "two"])
  })

  it("follows a link that leads to another folder, as mounted configurations do", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const [version, config] of Object.entries({ v1: { one: fake() }, v2: { one: fake(), two: fake() } })) {
      await mkdir(join(folder, version))
      await writeFile(join(folder, version, "gateway.json"), JSON.stringify({ mcpServers: config }))
    }
    await symlink("v1", join(folder, "data"))
    await symlink(join("data", "gateway.json"), join(folder, "gateway.json"))
    const { gateway } = await open({ mcpServers: { one: fake() } })
    const applied = new Promise((resolve) => {
      const ears = { applied: resolve, failed: resolve }
      onTestFinished(followGatewayFile(gateway, join(folder, "gateway.json"), ears))
    })

    await symlink("v2", join(folder, "next"))
    await rename(join(folder, "next"), join(folder, "data"))

    expect(await applied).toEqual(["two"])
  })

  it("stops a server whose entry becomes invalid, reports it and serves the others", async () => {
    const { gateway } = await open({ mcpServers: { one: fake(), two: fake() } })
    const file = await write({ mcpServers: { one: fake({ disabledTolls: ["die"] }), two: fake() } })

    const refused = await new Promise((resolve) => {
      onTestFinished(followGatewayFile(gateway, file, { applied: () => {}, refused: resolve, failed: resolve }))
    })

    expect(refused).toMatchObject([{ name: "one", reasons: [expect.stringContaining("disabledTolls")] }])
    expect([...gateway.servers().keys()]).toEqual(["two"])
  })
})

describe("readGatewayFile", () => {
  const text = `// As VS Code has it.
{
  "servers": { "a": { "command": "x", /* a port */ "args": ["--port", 1], }, },
}
`
  it.each([
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with its mark", Buffer.from(`\uFEFF${text}`)],
    ["UTF-16", Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16, big end first", Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
    ["lines of Windows", Buffer.from(text.replaceAll("\n", "\r\n"))],
  ])("takes comments and last commas, in %s", async (_, bytes) => {
    const file = await write({})
    await writeFile(file, bytes)

    expect(await readGatewayFile(file)).toEqual({
      config: { mcpServers: { a: { command: "x", args: ["--port", "1"] } } },
      refused: [],
      errors: [],
      warnings: [],
    })
  })

  it.each([
    ['{ "mcpServers": {\n  "a": sk }', "is not valid JSON: look at line 2, character 8"],
    ['{ "mcpServers": {', "is not valid JSON: it ends too early"],
    ["", "is not valid JSON: it ends too early"],
  ])("says where %j is broken", async (broken, message) => {
    const file = await write({})
    await writeFile(file, broken)

    expect((await readGatewayFile(file)).errors.join()).toContain(message)
  })

  it("says which server is written twice", async () => {
    const file = await write({})
    await writeFile(file, '{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }')

    const { config, warnings } = await readGatewayFile(file)

    expect(config?.mcpServers["a"]?.command).toBe("y")
    expect(warnings).toEqual(["/mcpServers/a: is written twice: only the last one counts"])
  })
})

describe("checkGateway", () => {
  it("says of each server what it answered", async () => {
    const file = await write({
      mcpServers: { one: fake(), none: { command: "no-such-program" }, lost: fake({ cwd: "/no/such/folder" }) },
    })

    const { ok, servers } = await checkGateway(file)

    expect(ok).toBe(false)
    expect(servers).toMatchObject([
      { name: "one", ok: true, message: "fake 1, 2 tools, 0 resources, legacy era" },
      { name: "none", ok: false, message: expect.stringContaining("no program") },
      { name: "lost", ok: false, message: expect.stringContaining('no folder "/no/such/folder"') },
    ])
  })
})

describe("checkGateway of a process that exits", () => {
  it.each([
    ["at once", "process.exit(3)", []],
    [
      "with a trace",
      `console.error("x.js:1\\n\\nError: no key\\n    at x\\n\\nNode.js v20"); process.exit(3)`,
      ["it wrote: Error: no key"],
    ],
    [
      "after words that are no message",
      "console.log('Welcome!'); process.exit(3)",
      ["it wrote: on standard output, which is for messages only: Welcome!"],
    ],
    ["with words", "console.error('set FOO'); process.exit(3)", ["it wrote: set FOO"]],
    ["when it is asked", "process.stdin.once('data', () => process.exit(3))", []],
  ])("says so in words, where it exits %s", async (_, code, notes) => {
    const file = await write({ mcpServers: { one: { command: process.execPath, args: ["-e", code] } } })

    const { servers } = await checkGateway(file)

    expect(servers).toEqual([{ name: "one", ok: false, message: "its process ended (exit code 3)", notes, tools: [] }])
  })
})

describe("checkGateway of a process that never answers", () => {
  it.each([
    ["auto", "it did not answer within 0.1 s"],
    ["legacy", "it did not answer within 0.1 s"],
    ["modern", 'it does not speak MCP 2026-07-28, as "era": "modern" requires'],
  ])("says so, and not that we ended it, in the era %s", async (era, message) => {
    const wait = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], limits: { connectMs: 100 } }
    const file = await write({ mcpServers: { one: { ...wait, era } } })

    const { servers } = await checkGateway(file)

    expect(servers).toMatchObject([{ ok: false, message }])
  })
})

describe("checkGateway of a file with bad entries", () => {
  it("reports each, and connects to the other servers", async () => {
    const file = await write({
      mcpServers: { bad: { url: "ws://y" }, worse: fake({ env: { K: variable("NO") } }), one: fake() },
    })

    const { ok, refused, servers } = await checkGateway(file)

    expect(ok).toBe(false)
    expect(refused.map(({ name }) => name)).toEqual(["bad", "worse"])
    expect(servers).toMatchObject([{ name: "one", ok: true }])
  })
})

describe("a file that is not JSON", () => {
  it.each(['{"a": sk-secret-1}', '{"a": "sk-secret-1" "b"}', '{"a": "sk-secret-1', "sk-secret-1"])(
    "is refused without quoting its contents: %s",
    async (text) => {
      const file = await write({})
      await writeFile(file, text)

      const { errors } = await checkGateway(file)

      expect(errors).toMatchObject([expect.stringContaining("is not valid JSON")])
      expect(errors.join()).not.toMatch(/sk-s/)
    },
  )
})

describe("parseGatewayConfig", () => {
  it("takes the form of a host, with variables", async () => {
    const { config, warnings } = await parseGatewayConfig(
      {
        servers: {
          a: { command: "x", env: { KEY: variable("env:KEY"), URL: variable("URL:-none") }, autoApprove: [] },
        },
      },
      { environment: { KEY: "k" } },
    )

    expect(config?.mcpServers["a"]?.env).toEqual({ KEY: "k", URL: "none" })
    expect(warnings).toEqual(["/servers/a/autoApprove: has no effect in a gateway"])
  })

  it.each([
    ["a URL as Gemini CLI and Windsurf name it", { httpUrl: "http://y" }, { url: "http://y" }],
    ["a URL in capitals", { url: "HTTP://y" }, { url: "HTTP://y" }],
    ["tools that a host lists", { command: "x", tools: ["*"] }, { command: "x", include: ["*"] }],
    ["tools that a host leaves out", { command: "x", disabledTools: ["rm"] }, { command: "x", exclude: ["rm"] }],
    ["numbers for texts", { command: "x", env: { PORT: 1, A: null } }, { command: "x", env: { PORT: "1" } }],
  ])("takes %s", async (_, server, ours) => {
    const { config, errors, warnings } = await parseGatewayConfig({ mcpServers: { a: server } }, { environment: {} })

    expect({ errors, warnings, a: config?.mcpServers["a"] }).toEqual({ errors: [], warnings: [], a: ours })
  })

  it.each([{ disabled: true }, { enabled: false }])("leaves out a server with %j, whatever it lacks", async (off) => {
    const server = { url: variable("NOT_SET"), ...off }

    expect(await parseGatewayConfig({ mcpServers: { a: { command: "x" }, b: server } })).toMatchObject({
      config: { mcpServers: { a: { command: "x" } } },
      refused: [],
      errors: [],
    })
  })

  it.each([
    [{}, "mcpServers"],
    [{ mcpServers: { a: { command: "x" } }, exposure: "all" }, "/exposure"],
  ])("says what is wrong with %j", async (value, message) => {
    const { config, errors } = await parseGatewayConfig(value)

    expect(config).toBeUndefined()
    expect(errors.join("\n")).toContain(message)
  })

  it("refuses a second server of one name", async () => {
    const { config, refused } = await parseGatewayConfig({
      mcpServers: { a: { command: "x" }, b: { command: "y", as: "a" } },
    })

    expect(Object.keys(config?.mcpServers ?? {})).toEqual(["a"])
    expect(refused).toEqual([{ name: "b", reasons: [expect.stringContaining('prefix "a" belongs to "a"')] }])
  })

  it("refuses a second server without a prefix", async () => {
    const plain = { command: "x", prefix: false }

    const { config, refused } = await parseGatewayConfig({ mcpServers: { a: plain, b: plain } })

    expect(config?.mcpServers).toEqual({ a: plain })
    expect(refused).toEqual([{ name: "b", reasons: [expect.stringContaining("only one server may have")] }])
  })
})

/** Returns a variable reference as hosts write it. */
function variable(name: string): string {
  return ["$", "{", name, "}"].join("")
}

async function open(config: GatewayConfig) {
  const gateway = createGateway(config)
  onTestFinished(() => gateway.close())
  return { gateway, client: await connectTo(gateway.service, "modern") }
}

async function write(config: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gateway-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, "gateway.json")
  await writeFile(file, JSON.stringify(config))
  return file
}
