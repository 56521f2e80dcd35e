// Plays every library, or those whose title contains an argument. Writes the guide's table if all were played without a
// complaint.
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { writeTable } from "./write-table.mjs"

const folder = join(import.meta.dirname, "..", "libraries")
/** Files besides the libraries, including npm's. */
const OTHERS = new Set(["counted.mjs", "count-runs.mjs"])

const wanted = process.argv.slice(2).map((part) => part.toLowerCase())
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".mjs") && !OTHERS.has(file))
  .map((file) => file.slice(0, -".mjs".length))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
if (names.length === 0) throw new Error(`found no library named ${wanted.join(", ")}`)

const played = new Map()
const waiting = [...names]
await Promise.all(Array.from({ length: availableParallelism() }, playNext))

const failed = names.filter((name) => played.get(name).complaints.length > 0)
console.log(`\n${names.length - failed.length} of ${names.length} libraries pass`)
if (failed.length > 0) process.exitCode = 1
else if (wanted.length === 0) writeTable(names.map((name) => played.get(name)))

async function playNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const result = await play(name)
    played.set(name, result)
    console.log(toText(name, result))
  }
}

/** Plays a library in a child process. Returns its result, or a complaint if the process ends without one. */
async function play(name) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "play.mjs"), name], { timeout: 120_000 })
  const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)])
  try {
    return JSON.parse(printed.trim().split("\n").at(-1))
  } catch {
    return { complaints: [`it ended without a result: ${said.trim().split("\n").slice(0, 8).join("\n    ")}`] }
  }
}

function toText(name, { as, complaints, words = [] }) {
  if (complaints.length > 0) return [`✗ ${name}`, ...complaints].join("\n    ")
  const refused = words.map((said) => `\n    rejected without it: ${said}`)
  return `✓ ${name}, ${as === "line" ? "with a line" : "as it is"}${refused.join("")}`
}
