// Bundles the pages for browsers with Vite, again only if a source is newer.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { root } from "./workspace.mjs"

/** Each page, with its sources and its output. */
const PAGES = {
  "packages/live-view": { sources: ["src", "vite.config.ts"], made: "page/assets.js" },
  "apps/demo": {
    sources: ["web", "src", "vite.config.ts", ...sourcesOf("agentic-service", "page-bridge", "service-wire")],
    made: "dist/web/index.html",
  },
}

function sourcesOf(...packages) {
  return packages.map((name) => join("..", "..", "packages", name, "src"))
}

/** Builds the pages and returns whether that succeeded. Output goes to stderr, because stdout may carry a protocol. */
export function buildPages(folders = Object.keys(PAGES)) {
  return folders.every((folder) => isNew(folder) || bundle(folder))
}

function isNew(folder) {
  const { sources, made } = PAGES[folder]
  const file = join(root, folder, made)
  if (!existsSync(file)) return false
  const at = statSync(file).mtimeMs
  return sources.every((source) => newest(join(root, folder, source)) <= at)
}

function newest(path) {
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
}

function bundle(folder) {
  const vite = join(root, "node_modules", "vite", "bin", "vite.js")
  const options = { cwd: join(root, folder), stdio: ["ignore", 2, 2] }
  return spawnSync(process.execPath, [vite, "build", "--logLevel", "warn"], options).status === 0
}
