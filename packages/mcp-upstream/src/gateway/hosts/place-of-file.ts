import { homedir } from "node:os"
import { basename, dirname, resolve } from "node:path"
import process from "node:process"
import type { KnownHost } from "./recognise-host.js"

/** A file's host and project, as its path tells them. */
export interface FilePlace {
  /** The project's folder, for `${workspaceFolder}`. */
  readonly workspace: string
  /** The host, if its usual path is known. */
  readonly host?: KnownHost
}

/** The folders and files in which hosts keep a project's configuration. */
const HOST_FOLDER = /^\.(vscode|cursor|gemini|codex|zed|claude|windsurf|roo|kiro|amazonq|github|opencode|devcontainer)$/
const PROJECT_FILE = /^(\.mcp\.json|opencode\.jsonc?|.*\.code-workspace)$/

/** Recognises a file's host and project by the path. */
export function placeOfFile(file: string): FilePlace {
  const path = resolve(file)
  const host = hostOf(path)
  return { workspace: workspaceOf(path), ...(host && { host }) }
}

function workspaceOf(path: string): string {
  const folder = dirname(path)
  if (HOST_FOLDER.test(basename(folder)) && dirname(folder) !== homedir()) return dirname(folder)
  return PROJECT_FILE.test(basename(path)) ? folder : process.cwd()
}

function hostOf(path: string): KnownHost | undefined {
  const [name, folder] = [basename(path), basename(dirname(path))]
  if (name === "claude_desktop_config.json") return "Claude Desktop"
  if (name === ".claude.json") return "Claude Code"
  if (folder === ".cursor") return "Cursor"
  return name === "mcp_config.json" && /^(\.codeium|windsurf)$/.test(folder) ? "Windsurf" : undefined
}
