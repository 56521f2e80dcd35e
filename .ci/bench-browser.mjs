// `pnpm bench:browser`: what pages cost, in a real Chromium.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { buildPages } from "./pages.mjs"
import { build, root } from "./workspace.mjs"

if (!build(["packages/live-view", "apps/rigs/browser"]) || !buildPages(["packages/live-view"])) process.exit(1)
const benches = ["packages/live-view/bench/flood.mjs"]
const failed = benches.filter(
  (bench) => spawnSync(process.execPath, [join(root, bench)], { stdio: "inherit" }).status !== 0,
)
process.exitCode = failed.length === 0 ? 0 : 1
