// `pnpm stores`: builds the packages, installs the state libraries, and plays each of them. Arguments choose libraries, by a
// part of their name.
import { join } from "node:path"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "stores")

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/stores..."])
if (!build(["packages/mcp-adapter"])) process.exit(1)
installOnce(join(rig, "libraries"), "the state libraries (about 450 MB, once)", ["--legacy-peer-deps"])
run(process.execPath, [join(rig, "src", "main.mjs"), ...process.argv.slice(2)])
