import { toDefinitions, wrap } from "../columns.js"

/** Returns the help of the command `mcp-gateway`, for a terminal of that width. */
export function gatewayHelp(columns: number): string {
  const rows: readonly (readonly [string, string])[] = [
    [
      "<file>",
      "the file in which a host has its servers: Claude, Cursor, VS Code, Codex, Gemini CLI, Copilot, Windsurf, Zed, opencode, " +
        'Goose; or one of its own with "mcpServers". Changes are applied while it is served',
    ],
    ["--mcp", "serves MCP over standard input and output"],
    ["--http [address]", "serves MCP over HTTP at [host:]port"],
    [
      "--check",
      "checks the file and each server, prints what is wrong and which profile each known client gets, and exits; with " +
        "--client=NAME or --principal=ID, prints which profile that one gets",
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: files contain it.
    ["--workspace=FOLDER", "the folder for ${workspaceFolder}"],
    ["--sign-in NAME", "opens the sign-in page of a server, and stores its tokens"],
    [
      "--accept",
      "shows the tools that are held back because they changed; with server/tool@digest, accepts that definition",
    ],
    ["--help", "after a file: lists the actions of its servers and further options"],
  ]
  const examples = ["mcp-gateway ~/.cursor/mcp.json --check", "mcp-gateway ~/.cursor/mcp.json --http 8080"]
  return [
    wrap("Serves the MCP servers of a file as one server.", columns),
    wrap("Usage: mcp-gateway <file> --mcp | --http [address] | --check | --describe | <tool> [fields]", columns),
    toDefinitions(rows, columns),
    ["Examples:", ...examples.map((line) => `  ${line}`)].join("\n"),
  ].join("\n\n")
}
