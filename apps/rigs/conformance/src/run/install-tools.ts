import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { CACHE, TOOLS } from "./tools.js"

/** Installs the tools into the cache with npm, once for each set of versions. */
export function installTools(): void {
  const folder = join(CACHE, "tools")
  const marker = join(folder, "installed.json")
  const wanted = JSON.stringify({ private: true, dependencies: TOOLS })
  if (read(marker) === wanted) return
  console.log("installing the conformance suites and mcp-proxy (about 140 MB, once) …")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), wanted)
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
  const quiet = ["--loglevel", "error", "--prefer-offline"]
  const { status } = spawnSync("npm", [...args, ...quiet], { stdio: "inherit", shell: process.platform === "win32" })
  if (status !== 0) throw new Error(`npm could not install the conformance suites: exit code ${status}`)
  writeFileSync(marker, wanted)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
