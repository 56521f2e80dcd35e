// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files have them.
import { describe, expect, it } from "vitest"
import { parseGatewayConfig } from "../src/node.js"
import { whyRefused } from "./why-refused.js"

describe("parseGatewayConfig", () => {
  it.each([
    ["a URL of another kind", { url: "ws://127.0.0.1:1" }, "url: expected a URL of http or https"],
    ["a URL that is none", { url: "http://[" }, "url: expected a URL"],
    ["a variable that is not set", { command: "x", env: { K: "${NO}" } }, 'env/K: the variable "NO" is not set'],
    [
      "a bare variable that is not set",
      { url: "http://y", headers: { A: "Bearer $NO" } },
      'headers/A: the variable "NO"',
    ],
    ["a variable within another's default", { command: "${A:-${NO}}" }, 'the variable "NO"'],
    ["a variable that is not closed", { command: "x", env: { K: "${NO" } }, "a variable is not closed"],
    ["a variable of its host alone", { command: "x", args: ["${config:a.b}"] }, '"config:a.b" is known to its host'],
    ["another folder of a workspace", { command: "x", args: ["${workspaceFolder:z}"] }, '"workspaceFolder:z"'],
    ["an expression of a workflow", { command: "x", env: { K: "${{ secrets.K }}" } }, "secrets.K"],
    ["a file of variables that is missing", { command: "x", envFile: "/no/such" }, '"/no/such" cannot be read'],
    ["a list of tools that is none", { command: "x", excludeTools: "rm" }, "excludeTools: expected a list of texts"],
    ["a restriction of another name", { command: "x", tool_denylist: ["rm"] }, "tool_denylist: is not known"],
    ["two lists that differ", { command: "x", tools: ["a"], includeTools: ["b"] }, "says otherwise"],
    ["headers from a program", { url: "http://y", headersHelper: "x" }, "come from a program"],
    ["a limit of another name", { command: "x", limits: { calls: 1 } }, "limits"],
    ["a sandbox", { command: "x", sandbox: {} }, "no sandbox"],
    ["a way of another kind", { url: "http://y", type: "websocket" }, "type"],
    ["a command that is none", { command: 1 }, "command"],
    ["no command and no URL", {}, 'expected either "command" or "url"'],
    ["a command and a URL", { command: "x", url: "http://y" }, 'expected either "command" or "url"'],
    ["a text for an entry", "npx", "expected an object"],
  ])("refuses a server with %s, by name, and serves the others", async (_, entry, message) => {
    const read = await parseGatewayConfig({ mcpServers: { bad: entry, good: { command: "x" } } }, { environment: {} })

    expect(read.config?.mcpServers).toEqual({ good: { command: "x" } })
    expect(whyRefused(read)).toEqual({ bad: expect.stringContaining(message) })
  })

  it.each([
    ["$A", "1"],
    ["a$A/b", "a1/b"],
    ["${A}${A}", "11"],
    ["${NO:-${A}}", "1"],
    ["${EMPTY:-else}", "else"],
    ["${env:A}", "1"],
    ["$$A and $${A}", "$A and ${A}"],
    ["5$ or $5", "5$ or $5"],
  ])("puts values into %s", async (written, value) => {
    const read = await parseGatewayConfig(
      { mcpServers: { a: { command: "x", args: [written] } } },
      { environment: { A: "1", EMPTY: "" } },
    )

    expect(read.config?.mcpServers["a"]?.args).toEqual([value])
  })

  it("leaves variables to a shell that has them itself", async () => {
    const args = ["-c", "for i in 1 2; do echo $i $A; done"]

    const { config } = await parseGatewayConfig(
      { mcpServers: { a: { command: "/bin/sh", args } } },
      { environment: { A: "1" } },
    )

    expect(config?.mcpServers["a"]?.args?.[1]).toBe("for i in 1 2; do echo $i 1; done")
  })

  it.each([
    ["servers that are off", { disabledMcpServers: ["a"] }],
    ["servers that alone are on", { allowMCPServers: ["b"] }],
    ["servers that an administrator denies", { deniedMcpServers: [{ serverName: "a" }] }],
    ["Gemini CLI's servers that are off", { mcp: { excluded: ["a"] } }],
    ["Gemini CLI's servers that alone are on", { mcp: { allowed: ["b"] } }],
  ])("leaves out what a file says of %s", async (_, rest) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x" }, b: { command: "y" } }, ...rest })

    expect(read.config?.mcpServers).toEqual({ b: { command: "y" } })
    expect(read.refused).toEqual([])
  })

  it("leaves out tools that Claude Code denies", async () => {
    const { config } = await parseGatewayConfig({
      mcpServers: { a: { command: "x" }, b: { command: "y" }, ab: { command: "z" } },
      permissions: { deny: ["mcp__a__rm", "mcp__b", "Bash(rm)"], allow: ["mcp__a__ls"] },
    })

    expect(config?.mcpServers).toEqual({
      a: { command: "x", exclude: ["rm"] },
      b: { command: "y", exclude: ["*"] },
      ab: { command: "z" },
    })
  })

  it.each([
    ["a rule that asks", { permissions: { ask: ["mcp__a__rm"] } }, ["a"]],
    ["a rule of an unknown name about it", { security: { blocked: { a: ["rm"] } } }, ["a"]],
    ["a rule of an unknown name about all servers", { mcp: { policy: "strict" } }, ["a", "b"]],
    ["a rule of an unknown name about tools", { disabledTools: ["rm"] }, ["a", "b"]],
    ["denied servers by their commands", { deniedMcpServers: [{ serverCommand: ["x"] }] }, ["a", "b"]],
  ])("refuses servers for %s", async (_, rest, names) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x" }, b: { command: "y" } }, ...rest })

    expect(read.refused.map(({ name }) => name)).toEqual(names)
  })

  it.each([
    ["Claude Code's", { oauth: { clientId: "c", callbackPort: 8080 } }, { clientId: "c", callbackPort: 8080 }],
    [
      "Cursor's",
      { auth: { CLIENT_ID: "c", CLIENT_SECRET: "s", scopes: ["a", "b"] } },
      { clientId: "c", clientSecret: "s", scope: "a b" },
    ],
    ["opencode's", { oauth: { clientId: "c", scope: "a b" } }, { clientId: "c", scope: "a b" }],
    ["Codex's", { scopes: ["a"] }, { scope: "a" }],
    ["one that is off", { oauth: false }, false],
    ["Gemini CLI's that is off", { oauth: { enabled: false } }, false],
  ])("takes a sign-in as %s", async (_, more, oauth) => {
    const { config } = await parseGatewayConfig({ mcpServers: { a: { url: "http://y", ...more } } })

    expect(config?.mcpServers["a"]).toEqual({ url: "http://y", oauth })
  })

  it("refuses a sign-in with something that is not known", async () => {
    const read = await parseGatewayConfig({ mcpServers: { a: { url: "http://y", oauth: { tokenUrl: "http://z" } } } })

    expect(whyRefused(read)).toEqual({ a: expect.stringContaining("oauth/tokenUrl") })
  })

  it("refuses a variable in a file of a host that has none", async () => {
    const read = await parseGatewayConfig({
      mcp_servers: { a: { url: "http://y", http_headers: { Authorization: "Bearer ${TOKEN}" } } },
    })

    expect(whyRefused(read)).toEqual({ a: expect.stringContaining("looks like a variable") })
  })
})
