// Plays the script with every host in every exposure, or only with hosts whose package name contains an argument, and in the
// exposures that are arguments. Records the hosts' requests in the first one.
import { readFileSync } from "node:fs"
import { recordRequests } from "../../clients/src/record-requests.mjs"
import { hosts } from "./hosts.mjs"
import { judge } from "./judge.mjs"
import { play } from "./play.mjs"
import { EXPOSURES } from "./script.mjs"

const programs = new URL("../programs/package.json", import.meta.url)
const { dependencies: versions } = JSON.parse(readFileSync(programs, "utf8"))
const wanted = process.argv.slice(2).filter((argument) => !EXPOSURES.includes(argument))
const exposures = EXPOSURES.filter((exposure) => process.argv.includes(exposure))
const chosen = hosts.filter((host) => wanted.length === 0 || wanted.some((part) => host.package.includes(part)))
if (chosen.length === 0) throw new Error(`found no host named ${wanted.join(", ")}`)

for (const host of chosen) {
  for (const exposure of exposures.length === 0 ? EXPOSURES : exposures) await playIn(host, exposure)
}

async function playIn(host, exposure) {
  const seen = await play(host, exposure, process.execPath)
  const { lines, faults } = judge(seen)
  const recorded = { client: host.title, version: versions[host.package], from: "pnpm rig hosts" }
  if (exposure === EXPOSURES[0]) recordRequests(recorded, seen.wire)
  console.log(`${faults.length === 0 ? "✓" : "✗"} ${host.title}, ${exposure}`)
  for (const line of lines) console.log(`    ${line}`)
  for (const fault of faults) console.log(`    ✗ ${fault}`)
  if (faults.length === 0) return
  process.exitCode = 1
  if (seen.offered === undefined) console.log(seen.printed.slice(-3_000))
}
