import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isRecord, parseJson, toMessage } from "@x/base"
import { replaceFile } from "@x/mcp-adapter/replace-file"

/** A file in which clients look for a project's MCP servers. */
export type ClientFile = ".mcp.json" | ".cursor/mcp.json" | ".vscode/mcp.json"

/** The format of each file: the key of its servers, and an entry. */
const CLIENT_FILES: Readonly<Record<ClientFile, { readonly key: string; entry(url: string): object }>> = {
  ".mcp.json": { key: "mcpServers", entry: (url) => ({ type: "http", url }) },
  ".cursor/mcp.json": { key: "mcpServers", entry: (url) => ({ url }) },
  ".vscode/mcp.json": { key: "servers", entry: (url) => ({ type: "http", url }) },
}

/**
 * Writes a server's entry into a client's configuration file, and keeps its other content.
 *
 * @returns A sentence about the change, or `undefined` if the file was up to date. A file that cannot be parsed or replaced is
 * left unchanged, and the sentence says what to add by hand.
 */
export function writeEntry(
  root: string,
  file: ClientFile,
  server: { readonly name: string; readonly url: string },
): string | undefined {
  const { key, entry } = CLIENT_FILES[file]
  const toAdd = `add ${JSON.stringify({ [server.name]: entry(server.url) })} under "${key}"`
  try {
    const path = join(root, file)
    const before = existsSync(path) ? readFileSync(path, "utf8") : undefined
    const parsed = before === undefined ? {} : parseJson(before)
    const servers = isRecord(parsed) ? (parsed[key] ?? {}) : undefined
    if (!isRecord(parsed) || !isRecord(servers))
      return `${file} was left unchanged, because it is not plain JSON: ${toAdd}`
    const text = `${JSON.stringify({ ...parsed, [key]: { ...servers, [server.name]: entry(server.url) } }, null, 2)}\n`
    if (isSame(before, text)) return undefined
    mkdirSync(dirname(path), { recursive: true })
    replaceFile(path, text)
    return `wrote "${server.name}" into ${file}`
  } catch (error) {
    return `${file} could not be written (${toMessage(error)}): ${toAdd}`
  }
}

/** Compares contents, ignoring white space. */
function isSame(before: string | undefined, text: string): boolean {
  return before !== undefined && JSON.stringify(parseJson(before)) === JSON.stringify(parseJson(text))
}
