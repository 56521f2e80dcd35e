// `pnpm clients`: builds the server that the clients meet, installs them, and plays the matrix with a Node that all of them
// run on. Arguments choose clients, by a part of their package's name.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) {
  const filters = ["@x/client-tests...", "@x/hosts...", "@x/runtimes"].flatMap((name) => ["--filter", name])
  pnpm(["install", "--frozen-lockfile", ...filters])
}
if (!build(["apps/demo", "apps/rigs/runtimes"])) process.exit(1)
installOnce(join(root, "apps", "rigs", "clients", "drivers"), "the clients (about 200 MB, once)")
const { recentNode } = await import(pathToFileURL(join(root, "apps", "rigs", "runtimes", "dist", "index.js")).href)
run(recentNode(), [join(root, "apps", "rigs", "clients", "src", "main.mjs"), ...process.argv.slice(2)])
