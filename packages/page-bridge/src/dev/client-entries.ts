import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { replaceFile } from "@x/mcp-adapter/replace-file"
import { isRecord, parseJson } from "@x/tool-schemas/json"

/** The files in which clients look for the MCP servers of a project. */
export type ClientFile = ".mcp.json" | ".cursor/mcp.json" | ".vscode/mcp.json"

/** Every such file, with what it has servers under, and how an entry is written. */
const CLIENT_FILES: Readonly<Record<ClientFile, { readonly key: string; entry(url: string): object }>> = {
  ".mcp.json": { key: "mcpServers", entry: (url) => ({ type: "http", url }) },
  ".cursor/mcp.json": { key: "mcpServers", entry: (url) => ({ url }) },
  ".vscode/mcp.json": { key: "servers", entry: (url) => ({ type: "http", url }) },
}

/**
 * Writes the entry of a server into the file of a client, and leaves all else in it as it was.
 *
 * @returns What was done, in words; `undefined` where it was as it should be. A file that cannot be read or replaced is left
 * alone, and the words say what to add by hand.
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
      return `${file} is left as it is, because it is no plain JSON: ${toAdd}`
    const text = `${JSON.stringify({ ...parsed, [key]: { ...servers, [server.name]: entry(server.url) } }, null, 2)}\n`
    if (isSame(before, text)) return undefined
    mkdirSync(dirname(path), { recursive: true })
    replaceFile(path, text)
    return `wrote "${server.name}" into ${file}`
  } catch (error) {
    return `${file} could not be written (${error instanceof Error ? error.message : String(error)}): ${toAdd}`
  }
}

/** Whatever the spaces are. */
function isSame(before: string | undefined, text: string): boolean {
  return before !== undefined && JSON.stringify(parseJson(before)) === JSON.stringify(parseJson(text))
}
