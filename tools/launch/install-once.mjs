import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Installs the dependencies of a folder's package.json with npm, once for each set of versions. Only rigs need them. */
export function installOnce(folder, what, more = []) {
  const wanted = readFileSync(join(folder, "package.json"), "utf8")
  const marker = join(folder, "node_modules", ".installed.json")
  if (read(marker) === wanted) return
  console.log(`installing ${what} …`)
  rmSync(join(folder, "node_modules"), { recursive: true, force: true })
  const args = ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund", ...more]
  const options = { cwd: folder, stdio: "inherit", shell: process.platform === "win32" }
  const { status } = spawnSync("npm", [...args, "--loglevel", "error", "--prefer-offline"], options)
  if (status !== 0) throw new Error(`npm could not install ${what}: exit code ${status}`)
  writeFileSync(marker, wanted)
}

function read(file) {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
