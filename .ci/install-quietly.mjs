import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pnpmCommand, root } from "./workspace.mjs"

/** What package managers say where there is no way to a registry. */
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b|fetch failed|NETWORK_ERROR|META_FETCH_FAIL/i

/**
 * Installs a part of the workspace, in one line instead of pages; ends this process, in words, where that fails. All of it is
 * on stderr: stdout is the demo's own.
 */
export async function installQuietly(filter) {
  const first = !existsSync(join(root, "node_modules", ".modules.yaml"))
  // A Ctrl+C reaches the child as well; there is nothing to clean up.
  process.once("SIGINT", stopped)
  const quiet = tellProgress(first)
  const install = pnpmCommand(["install", "--frozen-lockfile", "--filter", filter])
  // Without a network, package managers try again for minutes: once is enough to find out, and more only if there is one.
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

/** Runs a command to its end, and keeps what it says. */
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
  console.error("\nstopped; what is installed already is kept")
  process.exit(130)
}

/** Says that it takes a while: only the first time it does. */
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
    // Over the line that said so.
    if (isTTY) process.stderr.write("\r\x1b[2K")
  }
}

function seconds(started) {
  return Math.round((Date.now() - started) / 1_000)
}

function explain(said) {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  if (NO_NETWORK.test(said)) {
    return "no network: what it needs could not be fetched. Once it is installed, npm start works without one"
  }
  return `the installation failed:\n${lines.slice(-20).join("\n")}`
}
