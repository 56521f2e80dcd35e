// `npm start` and `npm run tour`: installs and builds the demo, then runs it in this process.
import "./check-node.mjs"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { installQuietly } from "./install-quietly.mjs"
import { buildPages } from "./pages.mjs"
import { build, root } from "./workspace.mjs"

const [program, ...args] = process.argv.slice(2)
const demo = join(root, "apps", "demo")

// The help works without an installation.
if (args.some((arg) => arg === "--help" || arg === "-h")) {
  console.log(readFileSync(join(demo, "usage.txt"), "utf8").trimEnd())
  process.exit()
}

// "@x/demo..." selects the demo and its dependencies, without the foreign clients of apps/rigs/client-tests.
await installQuietly("@x/demo...")
if (!build(["apps/demo"]) || !buildPages()) process.exit(1)

// In this process instead of a child, so that the demo has its own signals, exit code, stdin and stdout.
const entry = join(demo, "dist", `${program}.js`)
process.argv = [process.execPath, entry, ...args]
await import(pathToFileURL(entry).href)

// A terminated npm ends its shell but not what the shell started: leave when the parent is gone.
const parent = process.ppid
const watch = setInterval(() => {
  if (process.ppid === parent) return
  clearInterval(watch)
  process.kill(process.pid, "SIGTERM")
}, 500).unref()
