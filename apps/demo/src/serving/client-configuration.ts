import { fileURLToPath } from "node:url"

/** The command with which a client starts this server: the current Node and absolute paths, independent of folder and PATH. */
export const stdioCommand: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../main.js", import.meta.url)), "--stdio"],
}

/** Returns the configurations to paste, for clients that use the board at this URL or start one over stdio. */
export function clientConfiguration(url: string): string {
  const { command, args } = stdioCommand
  const commandLine = [command, ...args].map(quote).join(" ")
  return [
    "Connect a client in one of these ways:",
    paste("Claude Code", `claude mcp add --transport http board ${url}`),
    paste("Cursor, in .cursor/mcp.json", { mcpServers: { board: { url } } }),
    paste("VS Code, in .vscode/mcp.json", { servers: { board: { type: "http", url } } }),
    paste("Without a client", `npx -y @modelcontextprotocol/inspector --cli ${url} --method tools/list`),
    "Or let the client start its own board over stdio:",
    paste("Claude Code", `claude mcp add board -- ${commandLine}`),
    paste("Claude Desktop, in claude_desktop_config.json; Cursor", { mcpServers: { board: { command, args } } }),
    paste("VS Code, in .vscode/mcp.json", { servers: { board: { type: "stdio", command, args } } }),
  ].join("\n\n")
}

/** Formats a configuration on a line of its own, to be copied whole. */
function paste(where: string, what: unknown): string {
  return `  ${where}\n    ${typeof what === "string" ? what : writeJson(what).replaceAll("\n", "\n    ")}`
}

/** Formats JSON in lines that fit a terminal, with breaks only between values. */
function writeJson(value: unknown): string {
  const parts = JSON.stringify(value, undefined, 1).split(/\n */)
  let line = ""
  const lines: string[] = []
  for (const part of parts) {
    if (line !== "" && line.length + part.length >= WIDTH) {
      lines.push(line)
      line = ""
    }
    line += line === "" ? part : ` ${part}`
  }
  return [...lines, line].join("\n")
}

/** The most characters of a line, without indentation. */
const WIDTH = 76

/** Quotes a shell word, if needed. */
function quote(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `"${word}"`
}
