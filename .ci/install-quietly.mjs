import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pnpmCommand, root } from "./workspace.mjs"

/** What package managers say where there is no way to a registry. */
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b|fetch failed/i

/**
 * Installs a part of the workspace, in one line instead of pages; ends this process, in words, where that fails. All of it is
 * on stderr: stdout is the demo's own.
 */
export async function installQuietly(filter) {
  const first = !existsSync(join(root, "node_modules", ".modules.yaml"))
  const { command, args, options } = pnpmCommand(["install", "--frozen-lockfile", "--filter", filter])
  // One more try is enough: where there is no network, a minute of silence helps nobody.
  const env = { ...process.env, npm_config_fetch_retries: "1", npm_config_fetch_retry_mintimeout: "1000" }
  const child = spawn(command, args, { cwd: root, env, ...options, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding("utf8").on("data", (text) => {
      said += text
    })
  }
  const quiet = tellProgress(first)
  // A Ctrl+C reaches the child as well; there is nothing to clean up.
  process.once("SIGINT", stopped)
  const [status] = await once(child, "close")
  process.removeListener("SIGINT", stopped)
  quiet()
  if (status === 0) return
  console.error(explain(said))
  process.exit(1)
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
  process.stderr.write(`installing what the demo needs, once …${isTTY ? "" : "\n"}`)
  const timer = setInterval(() => {
    if (isTTY) process.stderr.write(`\rinstalling what the demo needs, once … ${seconds(started)} s `)
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
    return "no network: what the demo needs could not be fetched. Once it is installed, npm start works without one"
  }
  return `the installation failed:\n${lines.slice(-20).join("\n")}`
}
