import { fileURLToPath } from "node:url"

/** How a client that starts its servers starts this one: with this very Node, whatever its own folder and PATH are. */
export const stdioCommand: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [fileURLToPath(new URL("../main.js", import.meta.url)), "--stdio"],
}

/** What to paste where, so that a client uses the board at this URL, or starts one of its own over stdio. */
export function clientConfiguration(url: string): string {
  const { command, args } = stdioCommand
  const commandLine = [command, ...args].map(quote).join(" ")
  return [
    "Connect a client to it, with one of these:",
    paste("Claude Code", `claude mcp add --transport http board ${url}`),
    paste("Cursor, in .cursor/mcp.json", { mcpServers: { board: { url } } }),
    paste("VS Code, in .vscode/mcp.json", { servers: { board: { type: "http", url } } }),
    paste("no client at hand", `npx -y @modelcontextprotocol/inspector --cli ${url} --method tools/list`),
    "Or have a client start a board of its own, over stdio:",
    paste("Claude Code", `claude mcp add board -- ${commandLine}`),
    paste("Claude Desktop, in claude_desktop_config.json; Cursor", { mcpServers: { board: { command, args } } }),
    paste("VS Code, in .vscode/mcp.json", { servers: { board: { type: "stdio", command, args } } }),
  ].join("\n\n")
}

/** What to paste has a line of its own, so that it can be copied whole. */
function paste(where: string, what: unknown): string {
  return `  ${where}\n    ${typeof what === "string" ? what : writeJson(what).replaceAll("\n", "\n    ")}`
}

/** JSON in lines that fit a terminal, broken between its parts and never within one. */
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

/** Characters of a line, without what is in front of it. */
const WIDTH = 76

/** For a shell: only what needs quotes gets them. */
function quote(word: string): string {
  return /^[\w./:=@-]+$/.test(word) ? word : `"${word}"`
}
