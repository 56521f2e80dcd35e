// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration files contain them.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { dirname, join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { createDeferred } from "@x/base"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGateway, type ReadOptions, readGatewayFile } from "../src/node.js"
import { listen } from "./http-server.js"
import { whyRefused } from "./why-refused.js"

const options: ReadOptions = {
  environment: {
    KEY: "k-1",
    DB_URL: "db://1",
    LOCAL_TOKEN: "l-1",
    FIGMA_TOKEN: "f-1",
    COPILOT_MCP_SENTRY: "s-1",
  },
  workspace: "/home/ann/here",
}

interface Expected {
  readonly served: object
  readonly refused?: Readonly<Record<string, string>>
  /** Parts of the places that warnings name. */
  readonly warned?: readonly string[]
}

/** Each host's file, as its documentation has it (see hosts/README.md), with the servers served and those refused, and why. */
const hosts: readonly (readonly [string, string, Expected])[] = [
  [
    "Claude Desktop",
    "claude_desktop_config.json",
    {
      served: {
        filesystem: {
          command: "npx",
          args: [
            "-y",
            "@modelcontextprotocol/server-filesystem",
            "/Users/username/Desktop",
            "/Users/username/Downloads",
          ],
        },
        "brave-search": {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-brave-search"],
          env: { APPDATA: "C:\\Users\\user\\AppData\\Roaming\\", BRAVE_API_KEY: "pa$$word$1" },
        },
        "remote-example": {
          command: "npx",
          args: ["mcp-remote", "https://remote.mcp.server/sse", "--header", "Authorization:Bearer token-1"],
          env: { AUTH_HEADER: "Bearer token-1" },
        },
      },
    },
  ],
  [
    "Claude Code",
    ".claude.json",
    {
      served: {
        "api-server": {
          type: "http",
          url: "https://api.example.com/mcp",
          headers: { Authorization: "Bearer none" },
          limits: { callMs: 60_000 },
        },
        slack: {
          type: "http",
          url: "https://mcp.slack.com/mcp",
          oauth: { clientId: "your-client-id", callbackPort: 8080, scope: "channels:read chat:write search:read" },
        },
        db: { type: "stdio", command: "npx", args: ["-y", "db"], env: { URL: "db://1", PRICE: "$5$KEY" } },
        pinned: {
          type: "http",
          url: "https://mcp.example.com/mcp",
          oauth: { issuer: "https://auth.example.com" },
        },
      },
      refused: { "internal-api": "headersHelper: the gateway does not run" },
    },
  ],
  [
    "Cursor",
    ".cursor/mcp.json",
    {
      served: {
        database: {
          type: "stdio",
          command: `${homedir()}/.local/bin/db-server`,
          args: ["--config", "/home/ann/here/db-config.json"],
          env: { DB_URL: "db://1", DATA_DIR: `/home/ann/here/data${sep}db`, NAME: "here$KEY" },
        },
        "remote-server": { url: "https://api.example.com/mcp", headers: { Authorization: "Bearer k-1" } },
        "oauth-server": {
          url: "https://api.example.com/mcp",
          oauth: { clientId: "k-1", clientSecret: "f-1", scope: "read write" },
        },
      },
      refused: { missing: 'the variable "NOT_SET" is not set', file: "envFile: the file" },
    },
  ],
  [
    "VS Code",
    "vscode-mcp.json",
    {
      served: {
        github: { type: "http", url: "https://api.githubcopilot.com/mcp" },
        slack: { type: "http", url: "https://mcp.slack.com/mcp", oauth: { clientId: "example-client-id" } },
      },
      refused: {
        perplexity: "INPUT_PERPLEXITY_KEY",
        socket: "url: expected a URL of http or https",
        boxed: "sandboxEnabled: the gateway has no sandbox",
      },
    },
  ],
  [
    "VS Code's settings",
    "vscode-settings.json",
    {
      served: { time: { command: "uvx", args: ["mcp-server-time", "/home/ann/here"] } },
      warned: ["chat.mcp.serverSampling"],
    },
  ],
  [
    "Codex",
    "codex.toml",
    {
      served: {
        context7: {
          command: "npx",
          args: ["-y", "@upstash/context7-mcp"],
          env: { LOCAL_TOKEN: "l-1", KEY: "k-1", MY_ENV_VAR: "$literal" },
          include: ["resolve-library-id", "get-library-docs"],
          exclude: ["get-library-docs"],
          disabled: false,
          limits: { connectMs: 20_000, callMs: 45_500 },
        },
        figma: {
          url: "https://mcp.figma.com/mcp",
          headers: { "X-Figma-Region": "us-east-1", "X-Auth": "l-1", Authorization: "Bearer f-1" },
        },
        signs_in: {
          url: "https://mcp.example.com/mcp",
          oauth: { clientId: "client-1", callbackPort: 5555, scope: "read write" },
        },
      },
      refused: {
        asked: "default_tools_approval_mode: asks a person before calls",
        one_asked: "tools/run/approval_mode: asks a person before calls",
        helped: "http_headers_helper: the gateway does not run",
        elsewhere: "environment_id: starts the server on another machine",
        chatgpt: "auth: uses the sign-in of ChatGPT",
        omitted: "omit_tools_from: is not a known key",
      },
    },
  ],
  [
    "Gemini CLI",
    ".gemini/settings.json",
    {
      served: {
        python: {
          command: "python",
          args: ["-m", "my_server", "--port", "8080"],
          cwd: "./mcp",
          env: { DATABASE_URL: "db://1", API_KEY: "k-1" },
          include: ["read", "wipe"],
          exclude: ["write", "wipe", "drop"],
          limits: { callMs: 30_000 },
        },
        older: { url: "http://localhost:8080/mcp", exclude: ["python__wipe", "mcp_python_drop"] },
      },
      refused: { cloud: "authProviderType", auth: "oauth/tokenUrl", asked: "confirmationRequired: asks a person" },
      warned: ["older/timeout"],
    },
  ],
  [
    "Copilot",
    "copilot-mcp-config.json",
    {
      served: {
        playwright: {
          type: "local",
          command: "npx",
          args: ["@playwright/mcp@latest"],
          env: { TOKEN: "s-1" },
          include: ["*"],
        },
        sentry: {
          type: "local",
          command: "npx",
          args: ["@sentry/mcp-server@latest", "--host=https://contoso.sentry.io"],
          include: ["get_issue_details", "get_issue_summary"],
          env: { SENTRY_HOST: "https://contoso.sentry.io", SENTRY_ACCESS_TOKEN: "s-1" },
        },
        notionApi: {
          type: "local",
          command: "docker",
          args: ["run", "--rm", "-i", "-e", 'OPENAPI_MCP_HEADERS={"Authorization": "Bearer s-1"}', "mcp/notion"],
          env: { NOTION_API_KEY: "s-1" },
          include: ["*"],
        },
        cloudflare: {
          type: "sse",
          url: "https://docs.mcp.cloudflare.com/sse",
          include: ["*"],
          headers: { X: "s-1" },
          limits: { callMs: 30_000 },
        },
        static: {
          type: "http",
          url: "https://api.example.com/mcp",
          include: ["*"],
          oauth: { clientId: "YOUR-CLIENT-ID", scope: "read write" },
        },
      },
      refused: { "headless-api": "oauthPublicClient: its secret", tokens: "oidc: its tokens come from GitHub" },
      warned: ["cloudflare/deferTools"],
    },
  ],
  [
    "Windsurf",
    "windsurf/mcp_config.json",
    {
      served: {
        github: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-github"],
          env: { GITHUB_PERSONAL_ACCESS_TOKEN: "pa$$word" },
          exclude: ["delete_repo"],
        },
        "remote-http-mcp": { url: "https://host.example/mcp", headers: { API_KEY: "Bearer k-1" } },
      },
      refused: { "my-server": '"/no/such/api_key.txt" cannot be read' },
      warned: ["github/alwaysAllow"],
    },
  ],
  [
    "Zed",
    "zed-settings.json",
    {
      served: {
        local: {
          command: "some-command",
          args: ["arg-1", "arg-2"],
          env: {},
          exclude: ["drop", "wipe"],
          limits: { callMs: 120_000 },
        },
        older: { command: "/bin/older", args: ["run"], env: { A: "1" } },
        remote: {
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer token" },
          oauth: { clientId: "client-1" },
        },
      },
      refused: {
        elsewhere: "remote: is not a known key",
        "postgres-context-server": "is an extension of Zed",
        asked: "mcp:asked:run: asks a person",
        pattern: "mcp:pattern:run: asks a person",
      },
      warned: ["context_server_timeout"],
    },
  ],
  [
    "opencode",
    "opencode.jsonc",
    {
      served: {
        local: {
          command: "npx",
          args: ["-y", "my-mcp"],
          env: { MY_ENV_VAR: "k-1" },
          disabled: false,
          exclude: ["write*"],
          limits: { requestMs: 5_000 },
        },
        remote: { url: "https://mcp.example.com", headers: { Authorization: "Bearer k-1" } },
      },
      refused: { asked: "asks a person" },
    },
  ],
  [
    "opencode 2",
    "opencode-v2.jsonc",
    {
      served: {
        everything: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-everything"],
          cwd: ".",
          env: { LOG_LEVEL: "info" },
        },
      },
    },
  ],
  [
    "Goose",
    "goose-config.yaml",
    {
      served: {
        filesystem: {
          type: "stdio",
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
          env: { ROOT: "/files", KEY: "k-1" },
          include: ["search"],
          disabled: false,
          limits: { callMs: 300_000 },
        },
        "remote-tools": {
          type: "streamable_http",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer secret-1" },
          env: { TOKEN: "secret-1" },
          disabled: false,
          limits: { callMs: 300_000 },
        },
      },
      refused: {
        developer: 'of the type "builtin"',
        computercontroller: 'of the type "platform"',
        kept: `the secret "ONLY_IN_KEYRING" is in Goose's keyring`,
      },
      warned: ["GOOSE_MODE", "GOOSE_SEARCH_PATHS"],
    },
  ],
]

describe("readGatewayFile", () => {
  it.each(hosts)(
    "takes the file of %s as its documentation has it",
    async (_, name, { served, refused = {}, warned = [] }) => {
      const read = await readGatewayFile(fileURLToPath(new URL(`hosts/${name}`, import.meta.url)), options)

      expect(read.errors).toEqual([])
      expect(read.config?.mcpServers).toEqual(served)
      expect(whyRefused(read)).toEqual(
        Object.fromEntries(Object.entries(refused).map(([server, why]) => [server, expect.stringContaining(why)])),
      )
      for (const place of warned) expect(read.warnings.join("\n")).toContain(place)
    },
  )

  it.each([
    { what: "a url of Gemini CLI's file, which may be one of either kind", name: ".gemini/settings.json", key: "url" },
    { what: "a httpUrl of Gemini CLI's file", name: ".gemini/settings.json", key: "httpUrl" },
    { what: "a url of another host's file", name: "mcp.json", key: "url" },
  ])("tries $what as Streamable HTTP first", async ({ name, key }) => {
    const folder = await mkdtemp(join(tmpdir(), "host-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const first = createDeferred<string | undefined>()
    const url = await listen((request, response) => {
      first.resolve(request.method)
      response.writeHead(503).end()
    })
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify({ mcpServers: { site: { [key]: url } } }))

    const { config } = await readGatewayFile(file, options)
    const gateway = createGateway(config ?? { mcpServers: {} })
    onTestFinished(() => gateway.close())
    gateway.servers().get("site")?.reconnect()

    expect(await first.promise).toBe("POST")
  })

  it("asks for each input that a server needs once, and for no other", async () => {
    const asked: unknown[] = []
    const file = fileURLToPath(new URL("hosts/vscode-mcp.json", import.meta.url))

    const { config } = await readGatewayFile(file, {
      ...options,
      ask: async (input) => {
        asked.push(input)
        return input.options?.[1] ?? "p-1"
      },
    })

    expect(asked).toEqual([
      { id: "level", description: "Level", password: false, suggested: "low", options: ["low", "high"] },
      { id: "perplexity-key", description: "Perplexity API Key", password: true },
    ])
    expect(config?.mcpServers["perplexity"]).toMatchObject({
      args: ["-y", "server-perplexity", "--level", "high"],
      env: { PERPLEXITY_API_KEY: "p-1", PRICE: "$5 and $HOME" },
    })
  })

  it("reads an input from the environment if no person can be asked", async () => {
    const file = fileURLToPath(new URL("hosts/vscode-mcp.json", import.meta.url))

    const { config } = await readGatewayFile(file, {
      environment: { INPUT_LEVEL: "low", INPUT_PERPLEXITY_KEY: "p-2" },
    })

    expect(config?.mcpServers["perplexity"]?.env).toMatchObject({ PERPLEXITY_API_KEY: "p-2" })
  })

  it("reports servers that Claude Code keeps for other folders", async () => {
    const file = fileURLToPath(new URL("hosts/.claude.json", import.meta.url))

    expect((await readGatewayFile(file, options)).warnings.join()).toContain('"/home/ann/there"')
  })

  it.each([
    ["x.toml", "[a\nb = sk-secret", "is not valid TOML: look at line 1"],
    ["x.yaml", "a: [sk-secret", "is not valid YAML: look at line"],
    ["x.yaml", "a: 1\na: sk-secret\n", "is not valid YAML: look at line 2"],
    ["x.json", '{"mcpServers": []}', "this is Continue's form"],
    ["x.yaml", "mcpServers:\n  - name: a\n    command: x\n", "this is Continue's form"],
    ["x.json", '{"amp.mcpServers": {"a": {"command": "x"}}, "amp.tools.disable": ["rm"]}', "this is Amp's form"],
    ["x.json", '{"mcp": {"a": {"type": "stdio", "command": "x", "disabled_tools": ["rm"]}}}', "this is Crush's form"],
    ["x.json", '{"manifest_version": "0.3", "server": {}}', "a bundle (MCPB)"],
    ["x.json", '{"$schema": "https://x/server.schema.json", "packages": []}', "the MCP registry"],
    ["x.json", '{"theme": "dark"}', 'the keys are "theme"; expected "mcpServers"'],
    ["x.json", "[]", "expected an object"],
  ])("names what %s is that holds %j", async (name, text, message) => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, name), text)

    const { config, errors } = await readGatewayFile(join(folder, name))

    expect(config).toBeUndefined()
    expect(errors.join()).toContain(message)
    expect(errors.join()).not.toContain("sk-secret")
  })

  it("uses the folder above the host's as the workspace, and reads files of variables there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gateway-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, "secrets.env"), "A=1\nB='two words'\n")
    const text =
      '{"servers": {"a": {"command": "x", "args": ["${workspaceFolder}"], "envFile": "secrets.env", "env": {"A": "2"}}}}'
    await mkdir(join(folder, ".vscode"))
    await writeFile(join(folder, ".vscode", "mcp.json"), text)

    const { config } = await readGatewayFile(join(folder, ".vscode", "mcp.json"))

    expect(config?.mcpServers["a"]).toEqual({ command: "x", args: [folder], env: { A: "2", B: "two words" } })
  })
})
