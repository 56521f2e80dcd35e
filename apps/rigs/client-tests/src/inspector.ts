import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { recentNode } from "@x/runtimes"

/** How one run of the Inspector ended. */
export type InspectorRun = {
  /** The exit code: 0 for success, 6 if `--strict` finds a schema that some client cannot use. */
  readonly code: number
  /** Its standard output: one JSON document with `--format json`. */
  readonly stdout: string
  /** Its standard error, including the server's. */
  readonly stderr: string
}

/**
 * Runs `mcp-inspector --cli` with these arguments, in a home folder of its own that is removed afterwards. Over HTTP:
 * `[url, "--transport", "http", "--protocol-era", era, "--method", "tools/list", "--strict", "--format", "json"]`;
 * over stdio the options come first, then `"--"` and the server's command.
 */
export async function runInspector(args: readonly string[]): Promise<InspectorRun> {
  const home = await mkdtemp(join(tmpdir(), "inspector-"))
  try {
    return await run([launcher(), "--cli", ...args], home)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function launcher(): string {
  const require = createRequire(import.meta.url)
  const manifest = require.resolve("@modelcontextprotocol/inspector/package.json")
  return join(dirname(manifest), "clients", "launcher", "build", "index.js")
}

function run(args: readonly string[], home: string): Promise<InspectorRun> {
  const options = { env: { ...process.env, HOME: home, USERPROFILE: home }, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    const child = execFile(recentNode(), args, options, (error, stdout, stderr) => {
      // A code that is not a number means that the program did not start or was killed.
      const code = error === null ? 0 : error.code
      if (typeof code === "number") resolve({ code, stdout, stderr })
      else reject(new Error("the Inspector did not finish", { cause: error }))
    })
    child.stdin?.end()
  })
}
