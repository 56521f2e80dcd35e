import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, root } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "browser")

/**
 * Finds a Chromium or installs one: Debian's package as root, otherwise Playwright's. Ends this process if neither works. Child
 * processes find the same Chromium through `CHROME_PATH`.
 */
export async function bringChromium() {
  if (!build(["apps/rigs/browser"])) process.exit(1)
  const { findChromium } = await import(pathToFileURL(join(rig, "dist", "index.js")).href)
  const chromium = findChromium() ?? bring(findChromium)
  console.log(`the browser: ${chromium}`)
  process.env.CHROME_PATH = chromium
}

function bring(findChromium) {
  console.log("found no Chromium: installing one …")
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
    spawn("apt-get", ["update", "-qq"], { env })
    spawn("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"], { env })
  }
  if (findChromium() === undefined)
    spawn(process.execPath, [join(rig, "node_modules", "playwright-core", "cli.js"), "install", "chromium"])
  const found = findChromium()
  if (found !== undefined) return found
  console.error(
    'found no Chromium, and could not install one: install it ("apt-get install chromium"), or set CHROME_PATH',
  )
  process.exit(1)
}

function spawn(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
}
