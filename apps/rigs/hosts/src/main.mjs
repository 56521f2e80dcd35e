// Plays the script with every host in every exposure, or only with hosts whose package name contains an argument, and in the
// exposures that are arguments. Records the hosts' requests in the first one. With `long`, plays an action of 90 seconds.
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { recordRequests } from "../../clients/src/record-requests.mjs"
import { hosts } from "./hosts.mjs"
import { judge } from "./judge.mjs"
import { createLongScript, judgeLong } from "./long-script.mjs"
import { play } from "./play.mjs"
import { EXPOSURES } from "./script.mjs"

/** Milliseconds between the starts of hosts that play at once. */
const APART = 10_000

const programs = new URL("../programs/package.json", import.meta.url)
const { dependencies: versions } = JSON.parse(readFileSync(programs, "utf8"))
const isLong = process.argv.includes("long")
const wanted = process.argv.slice(2).filter((argument) => ![...EXPOSURES, "long"].includes(argument))
const exposures = EXPOSURES.filter((exposure) => process.argv.includes(exposure))
const chosen = hosts.filter((host) => wanted.length === 0 || wanted.some((part) => host.package.includes(part)))
if (chosen.length === 0) throw new Error(`found no host named ${wanted.join(", ")}`)

if (isLong) await Promise.all(chosen.map((host, index) => playLong(host, index * APART)))
else
  for (const host of chosen) {
    for (const exposure of exposures.length === 0 ? EXPOSURES : exposures) await playIn(host, exposure)
  }

async function playIn(host, exposure) {
  const seen = await play(host, exposure, { node: process.execPath })
  const { lines, faults } = judge(seen)
  const recorded = { client: host.title, version: versions[host.package], from: "pnpm rig hosts" }
  if (exposure === EXPOSURES[0]) recordRequests(recorded, seen.wire)
  report(`${host.title}, ${exposure}`, { lines, faults })
  if (seen.offered === undefined) console.log(seen.printed.slice(-3_000))
}

/** Plays an action of 90 seconds. The hosts wait most of the time, so they play at once, and start a moment apart. */
async function playLong(host, wait) {
  await setTimeout(wait)
  const script = createLongScript()
  const seen = await play(host, EXPOSURES[0], { node: process.execPath, script })
  const { lines, faults } = judgeLong(seen)
  report(`${host.title}, an action of 90 s`, { lines, faults })
  if (faults.length > 0) console.log(seen.printed.slice(-3_000))
}

function report(what, { lines, faults }) {
  console.log(`${faults.length === 0 ? "✓" : "✗"} ${what}`)
  for (const line of lines) console.log(`    ${line}`)
  for (const fault of faults) console.log(`    ✗ ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
