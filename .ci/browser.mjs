// `pnpm test:browser`: the tests in a real Chromium, which is found, or brought: Debian's package as root, Playwright's own
// otherwise. Fails where neither comes. Arguments go to Vitest.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { buildPages } from "./pages.mjs"
import { build, pnpm, root, startedByPnpm } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "browser")

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])
if (!build(["apps/rigs/browser", "apps/demo"]) || !buildPages()) process.exit(1)
const { findChromium } = await import(pathToFileURL(join(rig, "dist", "index.js")).href)
const chromium = findChromium() ?? bring()
console.log(`the browser: ${chromium}`)
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const { status } = spawn(process.execPath, [vitest, "run", "--config", "vitest.browser.ts", ...process.argv.slice(2)], {
  env: { ...process.env, CHROME_PATH: chromium },
})
process.exit(status ?? 1)

function bring() {
  console.log("found no Chromium: bringing one …")
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
    'there is no Chromium, and none could be installed. Install one ("apt-get install chromium"), or set CHROME_PATH.',
  )
  process.exit(1)
}

function spawn(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
}
