import { describe, expect, it } from "vitest"
import { type Ended, run, runWith, start } from "./start.js"

/** The three lines that the guide to single-file agents pipes into an agent. */
const LINES = `
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"1.0"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"my-agent","arguments":{"context":"hello"}}}
`.trimStart()

const INITIALIZE = LINES.slice(0, LINES.indexOf("\n") + 1)
const callLine = (id: number, name: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, _meta: { progressToken: id } } })}\n`

const answersIn = ({ stdout }: Pick<Ended, "stdout">) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ id }) => id !== undefined)

const ask = (agent: string, code = "x"): Promise<Ended> => run("codeHelper", "ask", "--agent", agent, "--code", code)

describe("an agent in one file", () => {
  it("runs as a command, on text from a flag or from piped input", async () => {
    expect(await run("myAgent", "--context", "hello")).toEqual({ code: 0, stdout: "Processed: hello\n", stderr: "" })
    expect(await runWith({ input: "hello" }, "myAgent")).toMatchObject({ code: 0, stdout: "Processed: hello\n" })
    expect(await run("myAgent", "my-agent", "--context", "hello")).toMatchObject({ stdout: "Processed: hello\n" })
  })

  it("lists its further tools beside its own, and runs each", async () => {
    const lines = [
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "code-helper", arguments: { context: "x" } } },
      { id: 4, method: "tools/call", params: { name: "explain", arguments: { code: "x", detail: "brief" } } },
      { id: 5, method: "tools/call", params: { name: "suggest", arguments: { code: "x" } } },
    ]
    const input = INITIALIZE + lines.map((line) => `${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`).join("")

    const [, list, ...calls] = answersIn(await runWith({ input }, "threeTools", "--mcp")).sort((a, b) => a.id - b.id)

    expect(list.result.tools.map(({ name }: { name: string }) => name)).toEqual(["code-helper", "explain", "suggest"])
    expect(list.result.tools[1].inputSchema).toEqual({
      type: "object",
      properties: {
        code: { type: "string", description: "Code to explain" },
        detail: { type: "string", enum: ["brief", "detailed"] },
      },
      required: ["code"],
    })
    expect(calls.map(({ result }) => result.content[0].text)).toEqual([
      '{"findings":[]}',
      "This code does...",
      '{"suggestions":["..."]}',
    ])
  })

  it("answers the three piped lines, in the revision of 2024-11-05", async () => {
    const ended = await runWith({ input: LINES }, "myAgent", "--mcp")

    expect(answersIn(ended)).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        result: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "my-agent", version: "1.0.0" },
        },
      },
      {
        jsonrpc: "2.0",
        id: 2,
        result: {
          tools: [
            {
              name: "my-agent",
              description: "Does something useful",
              inputSchema: {
                type: "object",
                properties: { context: { type: "string", description: "Input context for the agent" } },
              },
              annotations: {},
            },
          ],
        },
      },
      { jsonrpc: "2.0", id: 3, result: { content: [{ type: "text", text: "Processed: hello" }] } },
    ])
    expect(ended).toMatchObject({ code: 0, stderr: "" })
  })

  it("exits with 2 if it is not an MCP server", async () => {
    expect(await runWith({ env: { NO_MCP: "1" } }, "myAgent", "--mcp")).toMatchObject({ code: 2, stdout: "" })
  })

  it("fills in the defaults of its options", async () => {
    const { stdout } = await runWith({ input: "x = 1" }, "codeHelper", "--lines", "2")

    expect(JSON.parse(stdout)).toEqual({ findings: [], input: "x = 1", options: { focus: "readability", lines: 2 } })
  })

  it("rejects an unknown option, and an invalid value", async () => {
    expect(await run("codeHelper", "--fokus", "security")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown flag "--fokus": did you mean "--focus"?'),
    })
    expect(await run("codeHelper", "--focus", "sekurity")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('flag "--focus" is "sekurity": did you mean "security"?'),
    })
  })

  it("offers its further tools as actions", async () => {
    expect(await run("codeHelper", "explain", "--code", "abc")).toMatchObject({
      code: 0,
      stdout: "brief: 3 characters\n",
    })
    expect(await run("codeHelper", "suggest-more")).toMatchObject({ code: 0, stdout: '{"suggestions":["..."]}\n' })
  })

  it.each([
    ["a result that is not an object", "text", '"text" returned a string: expected { result } or nothing'],
    ["a thrown error", "throws", "no disk"],
    ["another thrown value", "throws-text", "no paper"],
  ])("reports on one line what went wrong: %s", async (_name, tool, why) => {
    const { code, stdout, stderr } = await run("faults", tool)

    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 2 })
    expect(stderr).toContain(why)
  })

  it.each(["throws", "throws-text", "fails"])("logs a failed call on one line: %s", async (tool) => {
    const { stderr } = await run("faults", tool, "--log", "-")
    const lines = stderr.split("\n").filter((line) => line.startsWith("{"))

    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ tool, message: "call failed" })
    expect(stderr.includes("no disk")).toBe(tool === "throws")
  })

  it("is aborted when its time is up, whatever it waits for", async () => {
    expect(await run("faults")).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("(timed_out)") })
  })

  it("fails if a handler returns no result", async () => {
    expect(await run("codeHelper", "broken")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"broken" returned an object without "result"'),
    })
  })

  it("starts its services before a call, and stops them after it", async () => {
    const { stderr } = await run("codeHelper", "explain", "--code", "abc")

    expect(stderr).toBe("parser started\nparser stopped\n")
  })

  it("exits with 1 if a service cannot be started", async () => {
    const ended = await runWith({ env: { NO_PARSER: "1" } }, "codeHelper", "--mcp")

    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: 'code-helper: service "parser" could not be started: no parser here\n',
    })
  })

  it("keeps its services running until the server ends", async () => {
    const input = INITIALIZE + callLine(2, "explain") + callLine(3, "suggest-more") + callLine(4, "code-helper")
    const { code, stderr } = await runWith({ input }, "codeHelper", "--mcp")

    expect({ code, stderr }).toEqual({ code: 0, stderr: "parser started\nparser stopped\n" })
  })

  it("lets calls finish after a signal, then stops its services and exits with 0", async () => {
    const server = start("codeHelper", "--mcp")
    server.write(INITIALIZE + callLine(2, "slow"))
    await server.says(/running/, "stderr")
    server.kill("SIGTERM")
    // Once it rejects a call, it has received the signal, which may take a call or two.
    for (let id = 3; !answersIn(server.said).some(({ error }) => error !== undefined); id += 1) {
      server.write(callLine(id, "suggest-more"))
      await server.says(new RegExp(`"id":${id}\\b.*\n`))
    }
    server.kill("SIGUSR2")
    const ended = await server.ended

    expect(answersIn(ended).at(-1)).toMatchObject({ id: 2, result: { content: [{ text: "done with parser 1" }] } })
    expect(ended).toMatchObject({ code: 0, stderr: "parser started\nrunning\nparser stopped\n" })
  })

  it("exits with 0 if a call does not finish in time", async () => {
    const server = start("codeHelper", "--mcp")
    server.write(INITIALIZE + callLine(2, "hang"))
    await server.says(/hanging/, "stderr")
    server.kill("SIGTERM")

    expect(await server.ended).toMatchObject({ code: 0, stderr: "parser started\nhanging\nparser stopped\n" })
  })
})

describe("ctx.invoke", () => {
  it("resolves with a linked agent's result, whose services start with its first call", async () => {
    expect(await ask("reviewer", "this")).toEqual({
      code: 0,
      stdout: "one thing in this\n",
      stderr: "parser started\nrules started\nparser stopped\nrules stopped\n",
    })
  })

  it("fails as the invoked agent does", async () => {
    expect(await ask("reviewer", "bad")).toMatchObject({ code: 1, stderr: expect.stringContaining("it is bad (bad)") })
  })

  it("goes no deeper than five agents", async () => {
    expect(await ask("short")).toMatchObject({ code: 0, stdout: "end\n" })
    expect(await ask("long")).toMatchObject({ code: 1, stderr: expect.stringContaining("(too_deep)") })
  })

  it("does not go in a cycle", async () => {
    expect(await ask("ring")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("in a cycle: code-helper → ring1 → ring2 → ring3 → ring1 (loop)"),
    })
  })

  it("waits no longer than its limit", async () => {
    expect(await run("codeHelper", "hurry")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agent "sleeper" took more than 50 ms (timeout)'),
    })
  })

  it("reaches only linked services", async () => {
    expect(await ask("revewer")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agent "revewer" is not linked: did you mean "reviewer"?'),
    })
  })
})
