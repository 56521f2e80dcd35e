// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration files contain them.
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
    [
      "a variable of its host alone",
      { command: "x", args: ["${config:a.b}"] },
      '"config:a.b" has a value only in its host',
    ],
    ["another folder of a workspace", { command: "x", args: ["${workspaceFolder:z}"] }, '"workspaceFolder:z"'],
    ["an expression of a workflow", { command: "x", env: { K: "${{ secrets.K }}" } }, "secrets.K"],
    ["a file of variables that is missing", { command: "x", envFile: "/no/such" }, '"/no/such" cannot be read'],
    ["a list of tools that is none", { command: "x", excludeTools: "rm" }, "excludeTools: expected a list of texts"],
    ["a restriction of another name", { command: "x", tool_denylist: ["rm"] }, "tool_denylist: is not a known key"],
    ["two lists that differ", { command: "x", tools: ["a"], includeTools: ["b"] }, "another value"],
    ["headers from a program", { url: "http://y", headersHelper: "x" }, "does not run the program"],
    ["a limit of another name", { command: "x", limits: { calls: 1 } }, "limits"],
    ["a sandbox", { command: "x", sandbox: {} }, "the gateway has no sandbox"],
    ["a way of another kind", { url: "http://y", type: "websocket" }, "type"],
    ["a command that is none", { command: 1 }, "command"],
    ["no command and no URL", {}, 'expected either "command" or "url"'],
    ["a command and a URL", { command: "x", url: "http://y" }, 'expected either "command" or "url"'],
    ["a text for an entry", "npx", "expected an object"],
    ["a command of another name", { comand: "x" }, 'did you mean "command"?'],
    ["a restriction with a letter too few", { command: "x", disabled_tool: ["rm"] }, 'did you mean "disabled_tools"?'],
    [
      "a restriction of one host, misspelt",
      { command: "x", available_tool: ["ls"] },
      'did you mean "available_tools"?',
    ],
    [
      "a file in the workspace that is missing",
      { command: "x", envFile: "${workspaceFolder}/no.env" },
      '/no.env" cannot be read: it does not exist',
    ],
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

  it("takes an entry's own variables first, but not for the environment itself", async () => {
    const { config } = await parseGatewayConfig(
      { mcpServers: { a: { command: "x", args: ["$A-$B"], env: { A: "own", B: "${A}" } } } },
      { environment: { A: "outer" } },
    )

    expect(config?.mcpServers["a"]).toEqual({ command: "x", args: ["own-outer"], env: { A: "own", B: "outer" } })
  })

  it("leaves a bare dollar as it is in the file of a host without such variables", async () => {
    const env = { PASSWORD: "pa$$word$A", KEY: "${A}" }

    const { config } = await parseGatewayConfig(
      { mcpServers: { a: { command: "x", env } } },
      { environment: { A: "1" }, host: "Claude Code" },
    )

    expect(config?.mcpServers["a"]?.env).toEqual({ PASSWORD: "pa$$word$A", KEY: "1" })
  })

  it.each([
    [60, undefined],
    [3_600, undefined],
    [60_000, { callMs: 60_000 }],
  ])("takes a timeout of %d for milliseconds only if no host has so many seconds", async (timeout, limits) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x", timeout } } })

    expect(read.config?.mcpServers["a"]?.limits).toEqual(limits)
    expect(read.warnings).toEqual(limits === undefined ? [expect.stringContaining("a/timeout: has no effect")] : [])
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
    [
      "the only servers that Gemini CLI's administrator allows",
      { admin: { mcp: { config: { b: { command: "y" } } } } },
    ],
  ])("leaves out what a file says of %s", async (_, rest) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x" }, b: { command: "y" } }, ...rest })

    expect(read.config?.mcpServers).toEqual({ b: { command: "y" } })
    expect(read.refused).toEqual([])
  })

  it.each([
    ["Gemini CLI's administrator", { admin: { mcp: { enabled: false } }, mcpServers: { a: { command: "x" } } }],
    ["Zed's disable_ai", { disable_ai: true, context_servers: { a: { command: "x" } } }],
    ["Goose's mode chat", { GOOSE_MODE: "chat", extensions: { a: { type: "stdio", cmd: "x" } } }],
    ["VS Code's settings", { "chat.mcp.access": "none", mcp: { servers: { a: { command: "x" } } } }],
  ])("serves nothing if %s allows no servers", async (_, file) => {
    const { config, refused, errors } = await parseGatewayConfig(file)

    expect([config?.mcpServers, refused, errors]).toEqual([{}, [], []])
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
    [["mcp__*"], ["*"], ["*"]],
    [["mcp__*__rm"], ["rm"], ["rm"]],
    [["mcp__b*__rm*"], undefined, ["rm*"]],
    [["mcp__a__*"], ["*"], undefined],
  ])("takes wildcards in what Claude Code denies: %j", async (deny, ofA, ofB) => {
    const { config } = await parseGatewayConfig({
      mcpServers: { a: { command: "x" }, b: { command: "y" } },
      permissions: { deny },
    })

    expect([config?.mcpServers["a"]?.exclude, config?.mcpServers["b"]?.exclude]).toEqual([ofA, ofB])
  })

  it.each([
    ["caller", { ann: { token: "0123456789abcdef" } }, 'did you mean "callers"?'],
    ["Profile", { few: { clients: ["x"] } }, 'did you mean "profiles"?'],
  ])("serves nothing if a restriction of its own is called %j", async (key, value, message) => {
    const { config, errors } = await parseGatewayConfig({ mcpServers: { a: { command: "x" } }, [key]: value })

    expect(config).toBeUndefined()
    expect(errors.join()).toContain(message)
  })

  it("serves nothing if callers are in a file in which they have no effect", async () => {
    const callers = { ann: { token: "0123456789abcdef" } }
    const { config, errors } = await parseGatewayConfig({ mcp_servers: { a: { command: "x" } }, callers })

    expect(config).toBeUndefined()
    expect(errors.join()).toContain("/callers: has no effect in a file of Codex")
  })

  it("takes the profiles of Codex for what they are", async () => {
    const file = { profile: "fast", profiles: { fast: { model: "m" } }, mcp_servers: { a: { command: "x" } } }
    const { config, errors } = await parseGatewayConfig(file)

    expect([Object.keys(config?.mcpServers ?? {}), errors]).toEqual([["a"], []])
  })

  it.each([
    ["a rule that asks", { permissions: { ask: ["mcp__a__rm"] } }, ["a"]],
    ["a rule that asks about several servers", { permissions: { ask: ["mcp__*__rm"] } }, ["a", "b"]],
    ["a misspelt rule of Claude Code about it", { permissions: { denied: ["mcp__a"] } }, ["a"]],
    ["a misspelt rule of Gemini CLI about it", { tools: { excludes: ["a__rm"] } }, ["a"]],
    ["a misspelt rule of Gemini CLI about servers", { mcp: { exclude: ["a"] } }, ["a", "b"]],
    ["a rule of an unknown name about it", { security: { blocked: { a: ["rm"] } } }, ["a"]],
    ["a rule of an unknown name about all servers", { mcp: { policy: "strict" } }, ["a", "b"]],
    ["a rule of an unknown name about tools", { disabledTools: ["rm"] }, ["a", "b"]],
    ["policies of Gemini CLI in other files", { policyPaths: ["./policies"] }, ["a", "b"]],
    ["a tool that Gemini CLI confirms", { tools: { confirmationRequired: ["mcp_b_rm"] } }, ["b"]],
    ["a program before its calls", { hooks: { PreToolUse: [{ matcher: "Edit|mcp__a__rm.*" }] } }, ["a"]],
    ["a program before calls of any server", { hooks: { BeforeTool: [{ matcher: "mcp_.*" }] } }, ["a", "b"]],
    ["denied servers by their commands", { deniedMcpServers: [{ serverCommand: ["x"] }] }, ["a", "b"]],
  ])("refuses servers for %s", async (_, rest, names) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x" }, b: { command: "y" } }, ...rest })

    expect(read.refused.map(({ name }) => name)).toEqual(names)
  })

  it("reports a program before calls of all tools", async () => {
    const hooks = { PreToolUse: [{ matcher: "*" }, { matcher: "Bash" }], PostToolUse: [{ matcher: "mcp__a__rm" }] }
    const read = await parseGatewayConfig({ mcpServers: { a: { command: "x" } }, hooks })

    expect(Object.keys(read.config?.mcpServers ?? {})).toEqual(["a"])
    expect(read.warnings).toEqual([expect.stringContaining("/hooks/PreToolUse: runs a program that may deny calls")])
  })

  it.each([
    ["LibreChat's", { url: "http://y", headers: { "X-User": "{{LIBRECHAT_USER_ID}}" } }],
    ["a shell's", { command: "x", env: { K: "$(cat /sk-secret)" } }],
    ["Windows'", { command: "x", env: { K: "%TOKEN%" } }],
    ["a store's", { command: "x", env: { K: "op://sk-secret/item/field" } }],
    ["opencode's", { url: "http://y", headers: { K: "{env:TOKEN}" } }],
    ["a URL's", { url: "http://y/%TOKEN%" }],
    ["a sign-in's", { url: "http://y", oauth: { clientId: "c", clientSecret: "{{ sk-secret }}" } }],
  ])("refuses a server with a variable in %s notation, whose text it does not repeat", async (_, server) => {
    const { config, refused } = await parseGatewayConfig({ mcpServers: { a: server, b: { command: "y" } } })

    expect(Object.keys(config?.mcpServers ?? {})).toEqual(["b"])
    expect(refused[0]?.reasons.join()).toContain("which the gateway does not replace")
    expect(refused[0]?.reasons.join()).not.toContain("sk-secret")
  })

  it.each([
    { command: "docker", args: ["ps", "--format", "{{.ID}}", "{{ID}}", "%TOKEN%"] },
    {
      command: "x",
      env: { DATE: "%Y-%m-%d", LOG: "%(asctime)s", JSON: '{"a":{"b":1}}', URL: "http://y/%C3%A4bc%20d" },
    },
    { command: "x", env: { K: "${ODD}" } },
  ])("keeps texts that only resemble such variables, and all values of variables: %j", async (server) => {
    const environment = { ODD: "{{A}} $(b) %CDE%" }
    const { config } = await parseGatewayConfig({ mcpServers: { a: server } }, { environment })

    const env = Object.entries(server.env ?? {}).map(([key, text]) => [key, text.replace("${ODD}", environment.ODD)])
    expect(config?.mcpServers["a"]).toEqual({ ...server, ...(server.env && { env: Object.fromEntries(env) }) })
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
    [
      "Claude Code's, at an authorization server",
      { oauth: { authServerMetadataUrl: "https://a.example/.well-known/oauth-authorization-server/tenant" } },
      { issuer: "https://a.example/tenant" },
    ],
    [
      "Claude Code's, at an OpenID provider",
      { oauth: { authServerMetadataUrl: "https://a.example/tenant/.well-known/openid-configuration" } },
      { issuer: "https://a.example/tenant" },
    ],
    [
      "Copilot CLI's, for the client itself",
      {
        oauthClientId: "c",
        oauthPublicClient: false,
        oauthGrantType: "client_credentials",
        oauth: { clientSecret: "s", issuer: "https://a.example" },
      },
      { clientId: "c", clientSecret: "s", issuer: "https://a.example", grant: "client_credentials" },
    ],
    ["one that is off", { oauth: false }, false],
    ["Gemini CLI's that is off", { oauth: { enabled: false } }, false],
  ])("takes a sign-in as %s", async (_, more, oauth) => {
    const { config } = await parseGatewayConfig({ mcpServers: { a: { url: "http://y", ...more } } })

    expect(config?.mcpServers["a"]).toEqual({ url: "http://y", oauth })
  })

  it.each([
    ["an unknown option", { tokens: "x" }, "oauth/tokens: is not a known option of a sign-in"],
    [
      "an address instead of an issuer",
      { tokenUrl: "http://z" },
      "oauth/tokenUrl: the gateway finds it in the metadata",
    ],
    [
      "metadata at an address of another kind",
      { authServerMetadataUrl: "https://z/meta.json" },
      "oauth/authServerMetadataUrl: is not a well-known URL",
    ],
    ["an issuer without TLS", { issuer: "http://login.example" }, '"issuer": expected a URL of https'],
    ["an issuer that is none", { issuer: "login" }, '"issuer": expected a URL of https'],
    ["an unknown grant", { grant: "password" }, "oauth"],
    [
      "a grant for the client without a client",
      { grant: "client_credentials", clientId: "c" },
      'the grant "client_credentials" also needs "clientSecret", "issuer"',
    ],
  ])("refuses a sign-in with %s", async (_, oauth, message) => {
    const read = await parseGatewayConfig({ mcpServers: { a: { url: "http://y", oauth } } })

    expect(whyRefused(read)).toEqual({ a: expect.stringContaining(message) })
  })

  it("refuses a grant for the client beside a token", async () => {
    const oauth = { grant: "client_credentials", clientId: "c", clientSecret: "s", issuer: "https://a.example" }
    const read = await parseGatewayConfig({
      mcpServers: { a: { url: "http://y", oauth, headers: { authorization: "Bearer t" } } },
    })

    expect(whyRefused(read)).toEqual({ a: expect.stringContaining('beside the header "Authorization"') })
  })

  it("refuses a variable in a file of a host without variables", async () => {
    const read = await parseGatewayConfig({
      mcp_servers: { a: { url: "http://y", http_headers: { Authorization: "Bearer ${TOKEN}" } } },
    })

    expect(whyRefused(read)).toEqual({ a: expect.stringContaining("looks like a variable") })
  })
})
