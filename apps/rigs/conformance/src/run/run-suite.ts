import { execFile } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { recentNode } from "@x/runtimes"
import { type Check, readChecks } from "./checks.js"
import type { Suite } from "./suites.js"
import { CACHE, toolFolder } from "./tools.js"

/** Runs a suite against a server and reads what it reports. How it ends says too little: it ends well with warnings. */
export async function runSuite(
  { name, tool, args }: Suite,
  leg: string,
  url: string,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = join(CACHE, "results", `${leg} ${name}`.replaceAll(" ", "-"))
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  const program = join(toolFolder(tool), "dist", "index.js")
  await run([program, "server", "--url", url, ...args, "--output-dir", output])
  return readChecks(output)
}

/** The suites load on Node 22 and later only. Both end with 1 where a check fails. */
function run(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(recentNode(), args, { maxBuffer: 64 * 2 ** 20, timeout: 300_000 }, (error, _, stderr) => {
      if (error === null || error.code === 1) resolve()
      else reject(new Error(`the suite did not run to its end: ${stderr}`, { cause: error }))
    })
  })
}
