import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { toAnswer } from "./to-answer.mjs"

/** Connects the Inspector's `mcpdo`, whose daemon keeps the connection. `era`: "legacy" or "modern". */
export async function connect(target, era) {
  const home = await mkdtemp(join(tmpdir(), "inspector-"))
  const run = (...args) => runMcpdo(home, args)
  const stop = () => run("daemon", "stop").finally(() => rm(home, { recursive: true, force: true }))
  const where =
    target.url === undefined
      ? ["--transport", "stdio", target.command, ...target.args]
      : ["--transport", "http", target.url]
  try {
    await run("connect", "--era", era, ...where)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    list: async () => (await run("tools/list")).tools,
    call: async (name, args) => toAnswer(await run("tools/call", name, "--tool-args-json", JSON.stringify(args))),
    close: () => run("disconnect", "@matrix").finally(stop),
  }
}

const require = createRequire(import.meta.url)
const inspector = dirname(require.resolve("@modelcontextprotocol/inspector/package.json"))
const mcpdo = join(inspector, "clients", "mcpdo", "build", "mcp-bin.js")

/** Runs one `mcpdo` command with the given home folder. Resolves to its output, which may be a failing result. */
function runMcpdo(home, args) {
  const env = { ...process.env, HOME: home, USERPROFILE: home, MCP_INSPECTOR_SECRET_STORE: "memory" }
  return new Promise((resolve, reject) => {
    const options = [mcpdo, "--connection", "matrix", "--format", "json", ...args]
    const child = execFile(process.execPath, options, { env }, (error, stdout, stderr) => {
      if (stdout.startsWith("{")) resolve(JSON.parse(stdout))
      else if (error === null) resolve(undefined)
      else reject(new Error(stderr.trim(), { cause: error }))
    })
    child.stdin.end()
  })
}
