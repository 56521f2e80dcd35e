// `pnpm test:browser`: runs the tests in a real Chromium, which it finds or installs. Arguments go to Vitest.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { bringChromium } from "../launch/bring-chromium.mjs"
import { pnpm, root, startedByPnpm } from "../launch/workspace.mjs"

if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])
await bringChromium()
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const args = [vitest, "run", "--config", "vitest.browser.ts", ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
process.exit(status ?? 1)
