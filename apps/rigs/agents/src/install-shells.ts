import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

/** Installs missing shells from Debian's packages. */
export function installShells(): void {
  const missing = ["bash", "zsh", "fish"].filter((shell) => !runs(shell))
  if (missing.length > 0 && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    run("apt-get", ["update"])
    run("apt-get", ["install", "--yes", "--no-install-recommends", ...missing])
  }
  const still = missing.filter((shell) => !runs(shell))
  if (still.length > 0)
    throw new Error(
      `${still.join(" and ")} cannot be installed here: install them yourself, or run this where apt-get works`,
    )
}

function runs(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" })
  if (status !== 0) throw new Error(`"${[program, ...args].join(" ")}" failed: ${stderr}`)
}
