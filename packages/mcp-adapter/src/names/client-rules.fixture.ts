/** What one client makes of a tool's name. */
export interface ClientRule {
  /** Who does it. */
  readonly client: string
  /** The most characters a server's name may have where the rule puts it in front of the tool's. */
  readonly serverName: number
  /** The name that a model is shown. */
  readonly rename: (server: string, tool: string) => string
  /** What the client or its vendor's API takes in the end. */
  readonly takes: RegExp
}

/** Observed with real clients, where no source is given: the versions are those of the client matrix. */
export const CLIENT_RULES: readonly ClientRule[] = [
  {
    // https://github.com/github/copilot-cli/issues/2581
    client: "Claude API",
    serverName: 0,
    rename: (_, tool) => tool,
    takes: /^[a-zA-Z0-9_-]{1,128}$/,
  },
  {
    // https://platform.openai.com/docs/api-reference/chat/create, tools.function.name
    client: "OpenAI API, through @openai/agents 0.20.0, which throws for two names that become one",
    serverName: 0,
    rename: (_, tool) => tool.replace(/[^a-zA-Z0-9]/g, "_"),
    takes: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  {
    // https://ai.google.dev/api/caching#FunctionDeclaration
    client: "Gemini API",
    serverName: 0,
    rename: (_, tool) => tool,
    takes: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
  },
  {
    client: "Gemini CLI 0.61.0, which keeps both ends of what is longer than 63",
    serverName: 18,
    rename: (server, tool) => keepEnds(`mcp_${server}_${tool}`.replace(/[^a-zA-Z0-9_.-]/g, "_")),
    takes: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$/,
  },
  {
    client: "opencode 1.18.33, which drops one of two names that become one",
    serverName: 23,
    rename: (server, tool) => `${server}_${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
    takes: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  {
    client: "Codex CLI 0.171.0, which cuts at 128",
    serverName: 80,
    rename: (server, tool) => `mcp__${server}__${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128),
    takes: /^[a-zA-Z0-9_-]{1,128}$/,
  },
  {
    // https://github.com/microsoft/vscode/issues/243602
    client: "VS Code, which cuts at 64",
    serverName: 19,
    rename: (server, tool) => `mcp_${server}_${tool}`.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64),
    takes: /^[a-zA-Z0-9_-]{1,64}$/,
  },
  {
    // https://github.com/ComposioHQ/composio/issues/2788
    client: "Cursor, which hides a tool whose name and server's name are longer than 60",
    serverName: 20,
    rename: (server, tool) => `${server}${tool}`,
    takes: /^[a-zA-Z0-9_-]{1,60}$/,
  },
]

function keepEnds(name: string): string {
  return name.length > 63 ? `${name.slice(0, 30)}...${name.slice(-30)}` : name
}
