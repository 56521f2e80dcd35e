import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Returns the path of Bun. Installs it with npm on first use. */
export function bun(): string {
  return bring({ name: "bun", version: "1.4.5", scope: "@oven", binary: "bun" })
}

/** Returns the path of workerd, the runtime of Cloudflare Workers. Installs it with npm on first use. */
export function workerd(): string {
  return bring({ name: "workerd", version: "1.20260730.1", scope: "@cloudflare", binary: "workerd" })
}

/** A program on npm: a package, and a scope with one package of binaries for each platform. */
interface Program {
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly binary: string
}

/**
 * Installs a program outside the workspace, which allows no packages with install scripts. The script would only copy the
 * binary, so this returns the binary's original path.
 */
function bring({ name, version, scope, binary }: Program): string {
  const folder = join(import.meta.dirname, "..", "node_modules", ".cache", `${name}-${version}`)
  const find = (): string | undefined => binariesIn(join(folder, "node_modules", scope), binary).find(runs)
  const there = find()
  if (there !== undefined) return there
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }))
  const quiet = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"]
  const options = { encoding: "utf8", shell: process.platform === "win32" } as const
  const { status, stderr } = spawnSync("npm", ["install", "--prefix", folder, ...quiet], options)
  if (status !== 0) throw new Error(`npm could not install ${name} ${version}: ${stderr}`)
  const brought = find()
  if (brought !== undefined) return brought
  throw new Error(
    `${name} ${version} does not run on "${process.platform}-${process.arch}": expected npm to bring a binary of it`,
  )
}

function binariesIn(folder: string, binary: string): readonly string[] {
  try {
    const suffix = process.platform === "win32" ? ".exe" : ""
    return readdirSync(folder).map((platform) => join(folder, platform, "bin", `${binary}${suffix}`))
  } catch {
    return []
  }
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0
}
