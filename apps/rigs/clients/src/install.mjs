import { spawnSync } from "node:child_process"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "..", "drivers")

/** Installs the clients beside their drivers with npm, once for each set of versions. */
export function install() {
  const wanted = readFileSync(join(folder, "package.json"), "utf8")
  const marker = join(folder, "node_modules", ".installed.json")
  if (read(marker) === wanted) return
  console.log("installing the clients (about 200 MB, once) …")
  rmSync(join(folder, "node_modules"), { recursive: true, force: true })
  const args = ["install", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"]
  const options = { cwd: folder, stdio: "inherit", shell: process.platform === "win32" }
  const { status } = spawnSync("npm", [...args, "--loglevel", "error", "--prefer-offline"], options)
  if (status !== 0) throw new Error(`npm could not install the clients: exit code ${status}`)
  writeFileSync(marker, wanted)
}

function read(file) {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
