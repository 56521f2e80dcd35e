import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { readSettings } from "../src/read-settings.js"

describe("The chat, started as a program", () => {
  it("answers by rules without a model, and ends when it is told to", async () => {
    const { OPENAI_BASE_URL: _, ...environment } = process.env
    const main = spawn(process.execPath, [fileURLToPath(new URL("../dist/main.js", import.meta.url))], {
      env: { ...environment, PORT: "0", CHAT_API_KEY: "key-of-ann" },
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = once(main, "exit")
    const lines = createInterface(main.stdout)[Symbol.asyncIterator]()
    const { value: first = "" } = await lines.next()
    const url = /http:\S+(?=\/mcp)/.exec(first)?.[0] ?? ""
    const say = async (content: string) => {
      const response = await fetch(`${url}/v1/chat`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": "key-of-ann", "x-session-id": "session_123" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          method: "tools/call",
          params: { name: "chat", arguments: { messages: [{ role: "user", content }], stream: false } },
          id: "req_123",
        }),
      })
      return JSON.parse(await response.text()).result.output.messages[0].content
    }

    expect([await say("Hello"), await say("hello?"), await say("What is the capital of France?")]).toEqual([
      "Hails there.",
      "Hello again.",
      "The capital of France is Paris.",
    ])
    main.kill("SIGTERM")
    expect(await ended).toEqual([0, null])
  })
})

describe("The chat's two doors", () => {
  /** Requests each endpoint without a valid body; a disabled endpoint returns 404. */
  async function knock(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
    const main = spawn(process.execPath, [fileURLToPath(new URL("../dist/main.js", import.meta.url)), ...args], {
      env: { ...process.env, PORT: "0", CHAT_API_KEY: "key-of-ann", ...variables },
      stdio: ["ignore", "pipe", "inherit"],
    })
    onTestFinished(() => void main.kill("SIGKILL"))
    const [said] = await once(main.stdout.setEncoding("utf8"), "data")
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(String(said))?.[0]
    const answers = await Promise.all(
      ["/mcp", "/v1/chat"].map((path) => fetch(`${origin}${path}`, { method: "POST", body: "{}" })),
    )
    return {
      open: answers.map(({ status }) => status !== 404),
      told: ["/mcp", "/v1/chat"].map((path) => said.includes(path)),
    }
  }

  const rows: readonly (readonly [args: string[], variables: Record<string, string>, open: boolean[]])[] = [
    [[], {}, [true, true]],
    [["--mcp_enable=true"], {}, [true, true]],
    [["--mcp_enable=false"], {}, [false, true]],
    [["--mcp_only"], {}, [true, false]],
    [[], { AGENT_MCP_ONLY: "true" }, [true, false]],
    [[], { AGENT_MCP_ENABLE: "false" }, [false, true]],
    [["--mcp_only=false"], { AGENT_MCP_ONLY: "true" }, [true, true]],
  ]

  it.each(rows)("prints the addresses that %j and %j select, and no others", async (args, variables, open) => {
    expect(await knock(args, variables)).toEqual({ open, told: open })
  })

  it.each([
    [["--mcp_only=yes"], '--mcp_only is "yes": expected true or false'],
    [["--mcp"], 'found "--mcp": expected --mcp_enable or --mcp_only'],
    [["--constructor"], 'found "--constructor"'],
    [["--mcp_only", "--mcp_enable=false"], "MCP cannot be disabled and served alone"],
  ])("refuse %j", (args, told) => {
    expect(() => readSettings({}, args)).toThrow(told)
  })
})

describe("readSettings", () => {
  it("answers by rules unless a model is configured", () => {
    expect(readSettings({})).toMatchObject({ port: 3000, model: undefined })
    expect(readSettings({ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1", OPENAI_MODEL: "small" }).model).toEqual({
      baseUrl: "http://127.0.0.1:11434/v1",
      apiKey: "none",
      model: "small",
    })
  })

  it.each([{ OPENAI_BASE_URL: "nowhere" }, { PORT: "x" }, { PORT: "65536" }])("refuses %j", (env) => {
    expect(() => readSettings(env)).toThrow(/: expected a/)
  })
})
