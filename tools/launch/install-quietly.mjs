import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pnpmCommand, root } from "./workspace.mjs"

/** Messages of package managers that cannot reach a registry. */
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b|fetch failed|NETWORK_ERROR|META_FETCH_FAIL/i

/**
 * Installs a part of the workspace and prints one line instead of pages. On failure, explains why and ends this process. Writes
 * to stderr, because stdout belongs to the demo.
 */
export async function installQuietly(filter) {
  const first = !existsSync(join(root, "node_modules", ".modules.yaml"))
  // Ctrl+C reaches the child as well, so nothing needs cleaning up.
  process.once("SIGINT", stopped)
  const quiet = tellProgress(first)
  const install = pnpmCommand(["install", "--frozen-lockfile", "--filter", filter])
  // Without a network, package managers retry for minutes. So try once first, and allow retries only with a network.
  let tried = await attempt(install, ONCE)
  if (tried.status !== 0 && NO_NETWORK.test(tried.said) && (await hasNetwork())) tried = await attempt(install, {})
  quiet()
  process.removeListener("SIGINT", stopped)
  if (tried.status === 0) return
  console.error(explain(tried.said))
  process.exit(1)
}

const ONCE = { npm_config_fetch_retries: "0", pnpm_config_fetch_retries: "0" }

async function hasNetwork() {
  const view = { command: "npm", args: ["view", "pnpm", "version"], options: { shell: process.platform === "win32" } }
  return (await attempt(view, ONCE)).status === 0
}

/** Runs a command to its end, and collects its output. */
async function attempt({ command, args, options }, env) {
  const child = spawn(command, args, {
    cwd: root,
    ...options,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let said = ""
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text) => {
      said += text
    })
  }
  const [status] = await once(child, "close")
  return { status, said }
}

function stopped() {
  console.error("\nstopped; packages installed so far are kept")
  process.exit(130)
}

/** Shows the progress of the first installation, which takes a while. */
function tellProgress(first) {
  if (!first) return () => {}
  const { isTTY } = process.stderr
  const started = Date.now()
  process.stderr.write(`installing what it needs, once …${isTTY ? "" : "\n"}`)
  const timer = setInterval(() => {
    if (isTTY) process.stderr.write(`\rinstalling what it needs, once … ${seconds(started)} s `)
  }, 1_000)
  return () => {
    clearInterval(timer)
    // Clears the progress line.
    if (isTTY) process.stderr.write("\r\x1b[2K")
  }
}

function seconds(started) {
  return Math.round((Date.now() - started) / 1_000)
}

function explain(said) {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  if (NO_NETWORK.test(said)) {
    return "found no network, so the packages could not be downloaded: connect and run it again. Once they are installed, npm start works offline"
  }
  return `the installation failed:\n${lines.slice(-20).join("\n")}`
}
