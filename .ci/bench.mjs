// `pnpm bench`: builds the packages, installs the servers they are measured beside, and measures. Arguments name rows, by a part
// of their name; `--check` compares with what is committed.
import { join } from "node:path"
import { installOnce } from "./install-once.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./workspace.mjs"

const rig = join(root, "apps", "rigs", "bench")

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/bench..."])
if (!build(["packages/mcp-adapter"])) process.exit(1)
installOnce(join(rig, "peers"), "the servers to measure beside (about 80 MB, once)")
run(process.execPath, [join(rig, "src", "main.mjs"), ...process.argv.slice(2)])
