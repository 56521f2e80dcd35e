// Plays the matrix: every client over every leg, or only clients whose package name contains an argument. Records their
// requests.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { clients, releaseOf } from "./clients.mjs"
import { play } from "./play.mjs"
import { playRestart } from "./play-restart.mjs"
import { playResults } from "./play-results.mjs"
import { toPage } from "./to-page.mjs"

const wanted = process.argv.slice(2)
const chosen = clients.filter((client) => wanted.length === 0 || wanted.some((part) => client.package.includes(part)))
if (chosen.length === 0) throw new Error(`found no client named ${wanted.join(", ")}`)

const seen = []
// Clients run one after another, which makes failures easier to read.
for (const client of chosen) seen.push({ client, results: [await run(client, "HTTP"), await run(client, "stdio")] })

const failed = seen.flatMap(({ results }) => results).filter(({ result }) => result === undefined)
if (failed.length > 0) process.exitCode = 1
else if (wanted.length === 0)
  writeFileSync(join(import.meta.dirname, "..", "..", "..", "..", "docs", "clients.md"), toPage(seen))

async function run(client, leg) {
  const title = `${client.title} ${releaseOf(client).version} over ${leg}`
  try {
    const result = {
      ...(await play(client, leg)),
      results: await playResults(client, leg),
      // Over stdio the client starts the server, so the server ends with it.
      ...(leg === "HTTP" && { restart: await playRestart(client) }),
    }
    console.log(`✓ ${title}: ${JSON.stringify(result)}`)
    return { leg, result }
  } catch (error) {
    console.log(`✗ ${title}:`, error)
    return { leg, result: undefined }
  }
}
