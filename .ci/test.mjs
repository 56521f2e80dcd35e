// `npm test` installs, then runs Vitest; `pnpm test` runs Vitest only. Arguments go to Vitest, whose set-up builds. What takes more
// than a minute by itself has a command of its own, and is left out unless its project is named.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pnpm, root, startedByPnpm } from "./workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])

const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const given = process.argv.slice(2)
const projects = given.some((each) => each.startsWith("--project")) ? [] : ["--project", "!ends"]
const args = [vitest, "run", "--config", "vitest.workspace.ts", ...projects, ...given]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
process.exit(status ?? 1)
