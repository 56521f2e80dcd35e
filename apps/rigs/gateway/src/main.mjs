// `pnpm rig gateway`: requests everything from each server, directly and through the gateway, in both eras on both sides and over
// both transports outside, and prints the differences.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { differences } from "./differences.mjs"
import { dump } from "./dump.mjs"
import { outsides } from "./outside.mjs"
import { reachedIn } from "./scenes.mjs"
import { servers } from "./servers.mjs"

const ERAS = ["legacy", "modern"]
const wanted = process.argv.slice(2)
const names = Object.keys(servers).filter((name) => wanted.length === 0 || wanted.includes(name))
const taps = mkdtempSync(join(tmpdir(), "gateway-taps-"))
let failed = 0
let tapped = 0

for (const name of names) for (const far of ERAS) await compare(name, far)
rmSync(taps, { recursive: true })
console.log(failed === 0 ? "no differences through the gateway" : `${failed} differences`)
process.exitCode = failed === 0 ? 0 : 1

async function compare(name, far) {
  const direct = await askDirectly(servers[name](), far)
  if (direct === undefined) return console.log(`       ${name} does not speak the ${far} era`)
  for (const near of ERAS)
    for (const outside of Object.keys(outsides)) {
      const { answers, left } = await askThrough(servers[name](), { near, far, outside })
      const found = [...differences(direct, answers), ...left]
      failed += found.length
      const what = `${name}, ${far}, to a ${near} client over ${outside}`
      const count = Object.keys(direct).length
      console.log(`${found.length === 0 ? "ok    " : "differs"} ${what}: ${count} answers, ${found.length} differ`)
      for (const line of found) console.log(`        ${line}`)
    }
}

/** Returns a server's own answers, or `undefined` if it does not speak that era. */
async function askDirectly({ args, env, ...asked }, era) {
  const { tap, reached } = tapOn(args)
  const client = createClient(era)
  try {
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: tap, ...(env && { env }), stderr: "ignore" }),
    )
  } catch (error) {
    if (era === "modern" && /did not offer|negotiation/i.test(error.message)) return undefined
    throw error
  }
  const answers = await dump(client, reached, asked)
  await client.close()
  return answers
}

async function askThrough({ args, env, ...asked }, { near, far, outside }) {
  const { tap, reached } = tapOn(args)
  const served = await outsides[outside]({ command: process.execPath, args: tap, ...(env && { env }), era: far })
  const client = createClient(near)
  await client.connect(served.transport)
  const answers = await dump(client, reached, asked)
  await client.close()
  const left = Object.entries(await served.close()).map(([kind, count]) => `still open: ${count} of ${kind}`)
  return { answers, left }
}

/** Starts a server behind a tap, which records the messages that reach it. */
function tapOn(args) {
  tapped += 1
  const file = join(taps, String(tapped))
  writeFileSync(file, "")
  return { tap: [join(import.meta.dirname, "tap.mjs"), file, ...args], reached: reachedIn(file) }
}

function createClient(era) {
  const options = era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}
  // The gateway declares the same capabilities to legacy servers, so that they offer the same tools to both.
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
  const client = new Client({ name: "rig", version: "0" }, { ...options, capabilities })
  client.setRequestHandler("roots/list", () => ({ roots: [] }))
  return client
}
