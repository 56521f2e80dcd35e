import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..", "..", "..")

/**
 * Finds a program on the PATH, or unpacks Debian's package of it below node_modules: that starts no service, and takes no
 * rights on the machine.
 *
 * @throws Error that says what to install, if neither works.
 */
export function bringProgram(name) {
  const unpacked = join(root, "node_modules", ".proxies", name)
  const folders = [
    ...process.env.PATH.split(":"),
    "/usr/sbin",
    join(unpacked, "usr", "sbin"),
    join(unpacked, "usr", "bin"),
  ]
  const find = () => folders.map((folder) => join(folder, name)).find(existsSync)
  if (find() === undefined) unpack(name, unpacked)
  const found = find()
  if (found === undefined)
    throw new Error(
      `there is no ${name}, and Debian's package cannot be downloaded: install ${name}, and run this again`,
    )
  return found
}

function unpack(name, folder) {
  console.log(`found no ${name}: downloading Debian's package …`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const download = () => spawnSync("apt-get", ["download", name], { cwd: folder, stdio: "ignore" }).status === 0
  if (!download()) {
    spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore" })
    download()
  }
  for (const file of readdirSync(folder)) spawnSync("dpkg", ["-x", file, "."], { cwd: folder })
}
