// Runs a newcomer's first steps: clone, `npm start`, `npm run tour` and `npm run new`, with empty caches; and, in a second clone,
// packs a package before anything is installed.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { root } from "../launch/workspace.mjs"

const scratch = mkdtempSync(join(tmpdir(), "fresh-"))
const clone = join(scratch, "clone")
const caches = { npm_config_cache: "npm", XDG_CACHE_HOME: "cache", XDG_DATA_HOME: "data", XDG_STATE_HOME: "state" }
const empty = Object.fromEntries(Object.entries(caches).map(([name, folder]) => [name, join(scratch, folder)]))
const options = { cwd: clone, env: { ...process.env, ...empty }, stdio: ["ignore", "pipe", "inherit"] }

try {
  execFileSync("git", ["clone", "--quiet", root, clone])
  await start()
  if (existsSync(join(clone, "apps", "rigs", "client-tests", "node_modules")))
    throw new Error("npm start installed client-tests")
  const shown = { ...options, stdio: ["ignore", "inherit", "inherit"] }
  execFileSync("npm", ["run", "tour"], shown)
  execFileSync("npm", ["run", "new", "--", join(scratch, "app"), "--no-install"], shown)
  const second = join(scratch, "second")
  execFileSync("git", ["clone", "--quiet", root, second])
  const pack = [join("tools", "release", "pack.mjs"), join(scratch, "tarballs"), "@x/agentic-service"]
  execFileSync(process.execPath, pack, { ...shown, cwd: second })
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Starts the demo on a free port, waits for its printed URL, sends one request, and stops the demo. */
async function start() {
  const npm = spawn("npm", ["start", "--", "--port", "0"], options)
  const ended = once(npm, "exit")
  const url = await printedUrl(npm.stdout)
  if (url === undefined) throw new Error("npm start ended without printing its /mcp URL")
  const { status } = await fetch(url)
  console.log(`GET ${url} answers ${status}`)
  npm.kill("SIGTERM")
  await ended
}

async function printedUrl(output) {
  for await (const line of createInterface({ input: output })) {
    console.log(line)
    const url = /https?:\/\/\S+\/mcp\b/.exec(line)?.[0]
    if (url !== undefined) return url
  }
}
