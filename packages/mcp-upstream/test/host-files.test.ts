// biome-ignore-all lint/suspicious/noTemplateCurlyInString: files have them.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ReadOptions, readGatewayFile } from "../src/node.js"
import { whyRefused } from "./why-refused.js"

const options: ReadOptions = {
  environment: {
    KEY: "k-1",
    DB_URL: "db://1",
    LOCAL_TOKEN: "l-1",
    FIGMA_TOKEN: "f-1",
    HOST_NAME: "h-1",
    COPILOT_MCP_SENTRY: "s-1",
  },
  workspace: "/home/ann/here",
}

interface Expected {
  readonly served: object
  readonly refused?: Readonly<Record<string, string>>
}

/** Each host's file, written from its public documentation: what is served, and what is refused and why. */
const hosts: readonly (readonly [string, string, Expected])[] = [
  [
    "Claude Desktop",
    "claude_desktop_config.json",
    {
      served: {
        filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"] },
        brave: { command: "npx", args: ["-y", "brave-search"], env: { BRAVE_API_KEY: "key-1" } },
      },
    },
  ],
  [
    "Claude Code",
    "claude.json",
    {
      served: {
        sentry: { type: "http", url: "https://mcp.sentry.dev/mcp", headers: { Authorization: "Bearer none" } },
        db: { type: "stdio", command: "npx", args: ["-y", "db"], env: { URL: "db://1" } },
      },
    },
  ],
  [
    "Cursor",
    "cursor.json",
    {
      served: {
        local: {
          type: "stdio",
          command: "python",
          args: ["/home/ann/here/server.py", `${homedir()}${sep}x`],
          env: { API_KEY: "k-1", NAME: "here" },
        },
        remote: { url: "https://api.example.com/mcp", headers: { Authorization: "Bearer k-1" } },
      },
    },
  ],
  [
    "VS Code",
    "vscode-mcp.json",
    {
      served: { github: { type: "http", url: "https://api.githubcopilot.com/mcp" } },
      refused: { perplexity: "INPUT_PERPLEXITY_KEY", boxed: "sandboxEnabled: there is no sandbox" },
    },
  ],
  [
    "VS Code's settings",
    "vscode-settings.json",
    { served: { time: { command: "uvx", args: ["mcp-server-time", "/home/ann/here"] } } },
  ],
  [
    "Codex",
    "codex.toml",
    {
      served: {
        context7: {
          command: "npx",
          args: ["-y", "@upstash/context7-mcp"],
          env: { LOCAL_TOKEN: "l-1", MY_ENV_VAR: "$literal" },
          include: ["resolve-library-id", "get-library-docs"],
          exclude: ["get-library-docs"],
          disabled: false,
          limits: { connectMs: 20_000, callMs: 45_500 },
        },
        figma: {
          url: "https://mcp.figma.com/mcp",
          headers: { "X-Figma-Region": "us-east-1", "X-Auth": "l-1", Authorization: "Bearer f-1" },
        },
      },
      refused: { asked: "asks a person before calls" },
    },
  ],
  [
    "Gemini CLI",
    "gemini-settings.json",
    {
      served: {
        python: {
          command: "python",
          args: ["-m", "my_server"],
          cwd: "./mcp",
          env: { DATABASE_URL: "db://1", API_KEY: "k-1" },
          include: ["read", "wipe"],
          exclude: ["write", "wipe", "drop"],
        },
      },
      refused: { cloud: "authProviderType" },
    },
  ],
  [
    "Copilot",
    "copilot-mcp-config.json",
    {
      served: {
        sentry: {
          type: "local",
          command: "npx",
          args: ["@sentry/mcp-server@latest", "--host=h-1"],
          include: ["get_issue_details", "get_issue_summary"],
          env: { SENTRY_ACCESS_TOKEN: "s-1" },
        },
        cloudflare: {
          type: "sse",
          url: "https://docs.mcp.cloudflare.com/sse",
          include: ["*"],
          headers: { X: "s-1" },
        },
      },
    },
  ],
  [
    "Windsurf",
    "windsurf-mcp_config.json",
    {
      served: {
        github: {
          command: "npx",
          args: ["-y", "@modelcontextprotocol/server-github"],
          env: { GITHUB_PERSONAL_ACCESS_TOKEN: "k-1" },
          exclude: ["delete_repo"],
        },
        remote: { url: "https://host.example/mcp", headers: { API_KEY: "Bearer k-1" } },
      },
    },
  ],
  [
    "Zed",
    "zed-settings.json",
    {
      served: {
        local: { command: "some-command", args: ["a"], env: {}, exclude: ["drop", "wipe"] },
        older: { command: "/bin/older", args: ["run"], env: { A: "1" } },
        remote: { url: "https://example.com/mcp", headers: { Authorization: "Bearer token" } },
      },
      refused: { "postgres-context-server": "is an extension of Zed", asked: "asks a person" },
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
        },
        remote: { url: "https://mcp.example.com", headers: { Authorization: "Bearer k-1" } },
      },
      refused: { asked: "asks a person" },
    },
  ],
  [
    "Goose",
    "goose-config.yaml",
    {
      served: {
        drive: {
          type: "stdio",
          command: "npx",
          args: ["-y", "@block/gdrive"],
          description: "Files in Drive",
          env: { ROOT: "/files", KEY: "k-1" },
          include: ["search"],
          disabled: false,
          limits: { callMs: 300_000 },
        },
        remote: {
          type: "streamable_http",
          url: "https://example.com/mcp",
          headers: { Authorization: "Bearer secret-1" },
          env: { TOKEN: "secret-1" },
          disabled: false,
        },
      },
      refused: { developer: 'of the type "builtin"', kept: '"ONLY_IN_KEYRING" is kept by Goose' },
    },
  ],
]

describe("readGatewayFile", () => {
  it.each(hosts)("takes the file of %s as its documentation has it", async (_, name, { served, refused = {} }) => {
    const read = await readGatewayFile(fileURLToPath(new URL(`hosts/${name}`, import.meta.url)), options)

    expect(read.errors).toEqual([])
    expect(read.config?.mcpServers).toEqual(served)
    expect(whyRefused(read)).toEqual(
      Object.fromEntries(Object.entries(refused).map(([server, why]) => [server, expect.stringContaining(why)])),
    )
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

  it("takes an input from the environment if nobody can be asked", async () => {
    const file = fileURLToPath(new URL("hosts/vscode-mcp.json", import.meta.url))

    const { config } = await readGatewayFile(file, {
      environment: { INPUT_LEVEL: "low", INPUT_PERPLEXITY_KEY: "p-2" },
    })

    expect(config?.mcpServers["perplexity"]?.env).toMatchObject({ PERPLEXITY_API_KEY: "p-2" })
  })

  it("tells of servers that Claude Code keeps for other folders", async () => {
    const file = fileURLToPath(new URL("hosts/claude.json", import.meta.url))

    expect((await readGatewayFile(file, options)).warnings.join()).toContain('"/home/ann/there"')
  })

  it.each([
    ["x.toml", "[a\nb = sk-secret", "is no TOML: look at line 1"],
    ["x.yaml", "a: [sk-secret", "is no YAML: look at line"],
    ["x.yaml", "a: 1\na: sk-secret\n", "is no YAML: look at line 2"],
    ["x.json", '{"mcpServers": []}', "this is Continue's form"],
    ["x.yaml", "mcpServers:\n  - name: a\n    command: x\n", "this is Continue's form"],
    ["x.json", '{"manifest_version": "0.3", "server": {}}', "a bundle (MCPB)"],
    ["x.json", '{"$schema": "https://x/server.schema.json", "packages": []}', "the MCP registry"],
    ["x.json", '{"theme": "dark"}', 'found "theme"; expected "mcpServers"'],
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

  it("takes the folder above that of a host for its workspace, and files of variables from there", async () => {
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
