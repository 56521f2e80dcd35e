// `npm start` and `npm run tour`: installs and builds what the demo needs, then becomes the demo.
import "./check-node.mjs"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { installQuietly } from "./install-quietly.mjs"
import { buildPages } from "./pages.mjs"
import { build, root } from "./workspace.mjs"

const [program, ...args] = process.argv.slice(2)
const demo = join(root, "apps", "demo")

// Nobody has to install anything to read how it is started.
if (args.some((arg) => arg === "--help" || arg === "-h")) {
  console.log(readFileSync(join(demo, "usage.txt"), "utf8").trimEnd())
  process.exit()
}

// "@x/demo..." is the demo and what it depends on: the foreign clients of apps/rigs/client-tests stay away.
await installQuietly("@x/demo...")
if (!build(["apps/demo"]) || !buildPages()) process.exit(1)

// In this process and not in a child: signals, exit code, stdin and stdout are the demo's own.
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
