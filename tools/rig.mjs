// `pnpm rig [name] [arguments]`: runs one rig of apps/rigs, which tests the packages against third-party programs. Without a
// name it lists the rigs. It first installs and builds everything the rig needs; arguments go to the rig.
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bringChromium } from "./launch/bring-chromium.mjs"
import { installOnce } from "./launch/install-once.mjs"
import { buildPages } from "./launch/pages.mjs"
import { build, pnpm, root, run, startedByPnpm } from "./launch/workspace.mjs"
import { RIGS } from "./rigs/rigs.mjs"

const [name, ...args] = process.argv.slice(2)
const rig = RIGS[name]

if (rig === undefined) {
  if (name !== undefined) console.error(`found no rig "${name}": use one of those below\n`)
  console.log("usage: pnpm rig <name> [arguments]\n")
  for (const [each, { says }] of Object.entries(RIGS)) console.log(`  ${each.padEnd(12)} ${says}`)
  process.exit(name === undefined ? 0 : 2)
}

if (!startedByPnpm && rig.packages !== undefined)
  pnpm(["install", "--frozen-lockfile", ...rig.packages.flatMap((each) => ["--filter", each])])
if (rig.builds !== undefined && !build(rig.builds)) process.exit(1)
if (rig.pages !== undefined && !buildPages(rig.pages)) process.exit(1)
if (rig.browser) await bringChromium()
if (rig.brings !== undefined) installOnce(join(root, rig.brings.into), rig.brings.what, rig.brings.options)

const steps = Array.isArray(rig.runs) ? rig.runs : [rig.runs]
for (const step of steps) await start(step)

/** Runs a step of the rig, and ends this process with its exit code if it fails. */
async function start({ file, flags = [], vitest, recent = false }) {
  if (vitest !== undefined) return runVitest(vitest)
  const node = recent ? await recentNode() : process.execPath
  run(node, [...flags, join(root, file), ...args], { stdio: "inherit" })
}

function runVitest(options) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const { status } = spawnSync(process.execPath, [vitest, "run", ...options, ...args], { cwd: root, stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
}

/** Finds or installs a Node version that every client and host supports. */
async function recentNode() {
  const runtimes = pathToFileURL(join(root, "apps", "rigs", "runtimes", "dist", "index.js")).href
  return (await import(runtimes)).recentNode()
}
