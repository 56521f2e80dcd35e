// Plays the script with every host, or with those whose package has an argument in its name.
import { hosts } from "./hosts.mjs"
import { judge } from "./judge.mjs"
import { play } from "./play.mjs"

const wanted = process.argv.slice(2)
const chosen = hosts.filter((host) => wanted.length === 0 || wanted.some((part) => host.package.includes(part)))
if (chosen.length === 0) throw new Error(`no host is called like that: found ${wanted.join(", ")}`)

for (const host of chosen) {
  const seen = await play(host, process.execPath)
  const { lines, faults } = judge(seen)
  console.log(`${faults.length === 0 ? "✓" : "✗"} ${host.title}`)
  for (const line of lines) console.log(`    ${line}`)
  for (const fault of faults) console.log(`    ✗ ${fault}`)
  if (faults.length === 0) continue
  process.exitCode = 1
  if (seen.offered === undefined) console.log(seen.printed.slice(-3_000))
}
