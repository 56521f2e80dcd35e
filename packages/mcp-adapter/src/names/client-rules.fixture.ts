/** A client's treatment of tool names. */
export interface ClientRule {
  /** The client. */
  readonly client: string
  /** The maximum length of a server's name, if the client prefixes it. */
  readonly serverName: number
  /** Returns the name shown to a model. */
  readonly rename: (server: string, tool: string) => string
  /** The names accepted by the client or its vendor's API. */
  readonly takes: RegExp
}

/** Observed with real clients unless a source is given. The client matrix lists their versions. */
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
