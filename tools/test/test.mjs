// `npm test` installs, then runs Vitest; `pnpm test` runs Vitest only. Arguments go to Vitest, whose set-up builds. Tests
// that take more than a minute are rigs, with a configuration of their own.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pnpm, root, startedByPnpm } from "../launch/workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])

const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const args = [vitest, "run", "--config", "vitest.workspace.ts", ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
process.exit(status ?? 1)
