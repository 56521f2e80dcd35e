// `pnpm agents`: compiles agents with Bun and completes them in real shells, both brought on first use. Arguments go to Vitest.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { build, pnpm, root, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile", "--filter", "@x/agents-rig..."])
if (!build(["packages/service-cli", "apps/rigs/runtimes"])) process.exit(1)
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const args = [vitest, "run", "--config", "apps/rigs/agents/vitest.config.ts", ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
process.exit(status ?? 1)
