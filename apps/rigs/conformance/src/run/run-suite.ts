import { execFile } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join, relative } from "node:path"
import process from "node:process"
import { recentNode } from "@x/runtimes"
import { type Check, readChecks } from "./checks.js"
import type { Turns } from "./give-turns.js"
import type { Suite } from "./suites.js"
import { CACHE, toolFolder } from "./tools.js"

/** Runs a suite against a server and reads its checks. Its exit code is not enough: it is 0 even with warnings. */
export function runSuite(
  { name, tool, args }: Suite,
  leg: string,
  url: string,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  return runTool(tool, ["server", "--url", url, ...args], { folder: `${leg} ${name}` })
}

/** Runs a suite against the client `play.js` with this argument, and reads its checks. */
export function runClientSuite(
  { name, tool, args }: Pick<Suite, "name" | "tool" | "args">,
  client: string,
  turns: Turns,
): Promise<ReadonlyMap<string, readonly Check[]>> {
  // A shell reads the command, and the suite splits it at spaces.
  const program = relative(process.cwd(), join(import.meta.dirname, "..", "client", "play.js"))
  const command = `node ${program} ${client}`
  return runTool(tool, ["client", "--command", command, "--timeout", "600000", ...args], {
    folder: `client ${client} ${name}`,
    env: { CONFORMANCE_TURNS: String(turns.port) },
  })
}

async function runTool(
  tool: Suite["tool"],
  args: readonly string[],
  { folder, env = {} }: { readonly folder: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ReadonlyMap<string, readonly Check[]>> {
  const output = join(CACHE, "results", folder.replaceAll(/[ ,]+/g, "-"))
  rmSync(output, { recursive: true, force: true })
  mkdirSync(output, { recursive: true })
  await run([join(toolFolder(tool), "dist", "index.js"), ...args, "--output-dir", output], env)
  return readChecks(output)
}

/** Runs a suite, which needs Node 22 or later. Its exit code is 1 if a check fails. */
function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(
      recentNode(),
      args,
      { env: { ...process.env, ...env }, maxBuffer: 64 * 2 ** 20, timeout: 1_200_000 },
      (error, _, stderr) => {
        if (error === null || error.code === 1) resolve()
        else reject(new Error(`the suite did not finish: ${stderr}`, { cause: error }))
      },
    )
  })
}
