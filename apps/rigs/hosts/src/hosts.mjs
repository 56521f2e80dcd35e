import { join } from "node:path"

const MODULES = join(import.meta.dirname, "..", "programs", "node_modules")
const PLATFORM = `${process.platform}-${process.arch}`

/**
 * The hosts. `start(site)` returns how to start a host unattended: its arguments, the files in its home folder, and its
 * environment. `site` holds the URLs of the model and the MCP server, and the home folder. `program` is a script for Node or a
 * binary, at its path in the npm package, since install scripts do not run.
 */
export const hosts = [
  {
    title: "Claude Code",
    package: "@anthropic-ai/claude-code",
    program: binary(`@anthropic-ai/claude-code-${PLATFORM}/claude`),
    start: ({ model, server, home }) => ({
      args: [
        ...["-p", "go", "--mcp-config", join(home, "mcp.json"), "--strict-mcp-config"],
        ...["--allowedTools", "mcp__app", "--output-format", "json", "--model", "claude-sonnet-4-5"],
      ],
      env: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: "none",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      files: { "mcp.json": { mcpServers: { app: { type: "http", url: server } } } },
    }),
  },
  {
    title: "Codex CLI",
    package: "@openai/codex",
    program: script("@openai/codex/bin/codex.js"),
    start: ({ model, server }) => ({
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go"],
      env: { NO_KEY: "none" },
      files: {
        ".codex/config.toml": [
          ...['model = "scripted"', 'model_provider = "scripted"'],
          ...["[model_providers.scripted]", 'name = "scripted"', `base_url = "${model}/v1"`, 'env_key = "NO_KEY"'],
          ...['wire_api = "responses"', "[mcp_servers.app]", `url = "${server}"`],
        ].join("\n"),
      },
    }),
  },
  {
    title: "Copilot CLI",
    package: "@github/copilot",
    program: script("@github/copilot/npm-loader.js"),
    start: ({ model, server, home }) => ({
      args: ["-p", "go", "--allow-all-tools", "--additional-mcp-config", `@${join(home, "mcp.json")}`],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_API_KEY: "none",
        COPILOT_MODEL: "scripted",
        COPILOT_OFFLINE: "true",
        COPILOT_AUTO_UPDATE: "false",
      },
      files: { "mcp.json": { mcpServers: { app: { type: "http", url: server, tools: ["*"] } } } },
    }),
  },
  {
    title: "Gemini CLI",
    package: "@google/gemini-cli",
    program: script("@google/gemini-cli/bundle/gemini.js"),
    start: ({ model, server }) => ({
      args: ["-p", "go", "--yolo", "--model", "gemini-2.5-pro"],
      env: { GOOGLE_GEMINI_BASE_URL: model, GEMINI_API_KEY: "none", GEMINI_CLI_TRUST_WORKSPACE: "true" },
      files: {
        ".gemini/settings.json": {
          mcpServers: { app: { httpUrl: server, trust: true } },
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
        },
      },
    }),
  },
  {
    title: "opencode",
    package: "opencode-ai",
    program: binary(`opencode-${PLATFORM}/bin/opencode`),
    start: ({ model, server }) => ({
      args: ["run", "--model", "scripted/scripted", "go"],
      env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
      files: {
        "work/opencode.json": {
          provider: {
            scripted: {
              npm: "@ai-sdk/openai-compatible",
              options: { baseURL: `${model}/v1`, apiKey: "none" },
              models: { scripted: { name: "scripted", tool_call: true } },
            },
          },
          mcp: { app: { type: "remote", url: server, enabled: true } },
          permission: "allow",
        },
      },
    }),
  },
  {
    title: "qwen-code",
    package: "@qwen-code/qwen-code",
    program: script("@qwen-code/qwen-code/cli.js"),
    start: ({ model, server }) => ({
      args: ["-p", "go", "--yolo", "--auth-type", "openai", "--model", "scripted"],
      env: { OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "none", OPENAI_MODEL: "scripted" },
      files: {
        ".qwen/settings.json": {
          mcpServers: { app: { httpUrl: server, trust: true } },
          security: { auth: { selectedType: "openai" } },
          privacy: { usageStatisticsEnabled: false },
        },
      },
    }),
  },
  {
    title: "Continue CLI",
    package: "@continuedev/cli",
    program: script("@continuedev/cli/dist/cn.js"),
    start: ({ model, server, home }) => ({
      args: ["-p", "go", "--auto", "--config", join(home, "config.yaml")],
      env: { CONTINUE_TELEMETRY_ENABLED: "0", OPENAI_API_KEY: "none" },
      files: {
        "config.yaml": [
          ...["name: scripted", "version: 1.0.0", "schema: v1", "models:", "  - name: scripted"],
          ...["    provider: openai", "    model: gpt-4o", `    apiBase: ${model}/v1`, "    apiKey: none"],
          ...["    capabilities: [tool_use]", "mcpServers:", "  - name: app", "    type: streamable-http"],
          `    url: ${server}`,
        ].join("\n"),
      },
    }),
  },
  {
    title: "Cline CLI",
    package: "cline",
    program: script("cline/bin/cline"),
    start: ({ model, server, home }) => ({
      args: ["--config", join(home, ".cline"), "--data-dir", join(home, ".cline", "data"), "--json", "go on"],
      setUp: [
        ...["auth", "--provider", "openai", "--apikey", "none", "--modelid", "scripted", "--baseurl", `${model}/v1`],
        ...["--config", join(home, ".cline"), "--data-dir", join(home, ".cline", "data")],
      ],
      env: { CLINE_TELEMETRY_DISABLED: "1" },
      files: {
        ".cline/data/settings/cline_mcp_settings.json": {
          mcpServers: { app: { type: "streamableHttp", url: server, autoApprove: ["*"] } },
        },
      },
    }),
  },
]

function binary(path) {
  return { command: join(MODULES, path), args: [] }
}

function script(path) {
  return { command: "node", args: [join(MODULES, path)] }
}
