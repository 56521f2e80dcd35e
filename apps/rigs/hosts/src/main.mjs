// Plays the script with every host, or only with hosts whose package name contains an argument. Records their requests.
import { readFileSync } from "node:fs"
import { recordRequests } from "../../clients/src/record-requests.mjs"
import { hosts } from "./hosts.mjs"
import { judge } from "./judge.mjs"
import { play } from "./play.mjs"

const programs = new URL("../programs/package.json", import.meta.url)
const { dependencies: versions } = JSON.parse(readFileSync(programs, "utf8"))
const wanted = process.argv.slice(2)
const chosen = hosts.filter((host) => wanted.length === 0 || wanted.some((part) => host.package.includes(part)))
if (chosen.length === 0) throw new Error(`found no host named ${wanted.join(", ")}`)

for (const host of chosen) {
  const seen = await play(host, process.execPath)
  const { lines, faults } = judge(seen)
  recordRequests({ client: host.title, version: versions[host.package], from: "pnpm rig hosts" }, seen.wire)
  console.log(`${faults.length === 0 ? "✓" : "✗"} ${host.title}`)
  for (const line of lines) console.log(`    ${line}`)
  for (const fault of faults) console.log(`    ✗ ${fault}`)
  if (faults.length === 0) continue
  process.exitCode = 1
  if (seen.offered === undefined) console.log(seen.printed.slice(-3_000))
}
