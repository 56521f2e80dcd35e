// `pnpm hosts`: has real hosts, installed on first use, run with a scripted model on this machine. Arguments choose hosts, by a part
// of their package's name.
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/hosts...", "--filter", "@x/runtimes"])
if (!build(["packages/mcp-adapter", "apps/rigs/runtimes"])) process.exit(1)
installOnce(join(root, "apps", "rigs", "hosts", "programs"), "the hosts (about 2 GB, once)")
const { recentNode } = await import(pathToFileURL(join(root, "apps", "rigs", "runtimes", "dist", "index.js")).href)
run(recentNode(), [join(root, "apps", "rigs", "hosts", "src", "main.mjs"), ...process.argv.slice(2)])
