// Shared by the launchers: the workspace's folder, the pinned pnpm, the build. Needs only Node and npm.
import "./check-node.mjs"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** The workspace's folder. */
export const root = join(import.meta.dirname, "..", "..")

const windows = process.platform === "win32"
const pinned = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager

/** Whether a pnpm started this process (`pnpm test`), and not npm or a shell. */
export const startedByPnpm = (process.env.npm_config_user_agent ?? "").startsWith("pnpm/")

/**
 * Runs a command in the workspace's folder, its output on stderr, and ends this process if it fails.
 * stdout stays clean, because `npm start -s -- --stdio` speaks the protocol on it; stdin stays unread for the same reason.
 */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options })
  if (status === 0) return
  console.error(`"${[command, ...args].join(" ")}" failed: ${error?.message ?? `exit code ${status}`}`)
  process.exit(status || 1)
}

/** Runs the pnpm that package.json pins; npx downloads it if necessary, and works offline afterwards. */
export function pnpm(args, options = {}) {
  const call = pnpmCommand(args)
  run(call.command, call.args, { ...call.options, ...options })
}

/** Returns the command line of that pnpm. */
export function pnpmCommand(args) {
  const options = { shell: windows }
  if (startedByPnpm) return { command: "pnpm", args, options }
  return { command: "npx", args: ["-y", "--prefer-offline", pinned, ...args], options }
}

/**
 * Compiles the given folders and the projects they reference, without checking types (`pnpm typecheck` does), and bundles
 * packages that need it: about two seconds, less without changes. Returns whether it succeeded.
 */
export function build(folders = compiledFolders("packages", "apps", "apps/rigs", "examples")) {
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc")
  const projects = folders.map((folder) => join(root, folder, "tsconfig.build.json"))
  const args = [tsc, "--build", ...projects, "--noCheck"]
  const options = { cwd: root, stdio: ["ignore", 2, 2] }
  if (spawnSync(process.execPath, args, options).status !== 0) return false
  const stale = compiledFolders("packages").filter(isStale)
  return stale.length === 0 || spawnSync(process.execPath, [bundler, ...stale], options).status === 0
}

const bundler = join(import.meta.dirname, "bundle.mjs")

/** Whether a package is published as a bundle, and was compiled after the last one. */
function isStale(folder) {
  const manifest = join(root, folder, "package.json")
  const { scripts } = JSON.parse(readFileSync(manifest, "utf8"))
  const [compiled, bundle] = [".tsbuildinfo", "bundle/index.js"].map((name) => join(root, folder, "dist", name))
  if (!scripts?.build?.includes("bundle.mjs") || !existsSync(compiled)) return false
  // The manifest names the entries.
  const newest = Math.max(...[compiled, manifest].map((file) => statSync(file).mtimeMs))
  return !existsSync(bundle) || statSync(bundle).mtimeMs < newest
}

/** Returns the folders below the given ones that are compiled. */
export function compiledFolders(...parents) {
  const folders = parents.flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)))
  return folders.filter((folder) => existsSync(join(root, folder, "tsconfig.build.json")))
}
