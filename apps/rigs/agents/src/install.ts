import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const BUN = "1.4.5"
const folder = join(import.meta.dirname, "..", "node_modules", ".cache", `bun-${BUN}`)

/**
 * The path of Bun, which npm brings once. Its package has a script that puts the binary in its place: the workspace takes no
 * such package, so it is installed apart from it.
 */
export function bun(): string {
  const binary = join(folder, "node_modules", "bun", "bin", "bun.exe")
  if (!runs(binary)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { bun: BUN } }))
    run("npm", ["install", "--prefix", folder, "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"])
    // Where npm runs no scripts, this is the one.
    if (!runs(binary)) run(process.execPath, ["install.js"], join(folder, "node_modules", "bun"))
  }
  if (runs(binary)) return binary
  throw new Error(
    `bun ${BUN} does not run on "${process.platform}-${process.arch}": expected npm to bring a binary of it`,
  )
}

/** Has the shells on the path; Debian's packages bring those that are not there. */
export function installShells(): void {
  const missing = ["bash", "zsh", "fish"].filter((shell) => !runs(shell))
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    run("apt-get", ["update"])
    run("apt-get", ["install", "--yes", "--no-install-recommends", ...missing])
  }
  const still = missing.filter((shell) => !runs(shell))
  if (still.length > 0)
    throw new Error(`${still.join(" and ")} cannot be had here: install them, or run this where apt-get may`)
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0
}

function run(program: string, args: readonly string[], cwd = import.meta.dirname): void {
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`"${[program, ...args].join(" ")}" failed: ${stderr}`)
}
