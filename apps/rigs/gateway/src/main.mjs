// `pnpm gateway`: asks each server for everything, directly and through the gateway, in both eras of both sides, and says what
// differs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { createGateway } from "@x/mcp-upstream/node"
import { differences } from "./differences.mjs"
import { dump } from "./dump.mjs"
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
console.log(failed === 0 ? "through the gateway all is as it is" : `${failed} differences`)
process.exitCode = failed === 0 ? 0 : 1

async function compare(name, far) {
  const direct = await askDirectly(servers[name](), far)
  if (direct === undefined) return console.log(`       ${name} does not speak the ${far} era`)
  for (const near of ERAS) {
    const found = differences(direct, await askThrough(servers[name](), { near, far }))
    failed += found.length
    const asked = Object.keys(direct).length
    const what = `${name}, ${far}, to a ${near} client`
    console.log(`${found.length === 0 ? "ok    " : "differs"} ${what}: ${asked} answers, ${found.length} differ`)
    for (const line of found) console.log(`        ${line}`)
  }
}

/** `undefined` where the server does not speak that era. */
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

async function askThrough({ args, env, ...asked }, { near, far }) {
  const { tap, reached } = tapOn(args)
  const server = { command: process.execPath, args: tap, ...(env && { env }), prefix: false, era: far }
  const gateway = createGateway({ mcpServers: { server } })
  const adapter = createMcpAdapter(gateway.service, {
    limits: { readyWaitMs: 30_000 },
    publish: { profile: "verbatim" },
  })
  const client = createClient(near)
  await client.connect(connectInMemory(adapter, { extension: gateway.extension, results: { catchUp: false } }))
  const answers = await dump(client, reached, asked)
  await client.close()
  adapter.close()
  const upstream = gateway.servers().get("server")
  await gateway.close()
  const held = upstream.holdings()
  if (!isDeepStrictEqual(held, { connections: 0, children: 0, timers: 0, calls: 0 })) {
    failed += 1
    console.log(`left behind: ${JSON.stringify(held)}`)
  }
  return answers
}

/** Starts a server behind the tap, which notes what reaches it. */
function tapOn(args) {
  tapped += 1
  const file = join(taps, String(tapped))
  writeFileSync(file, "")
  return { tap: [join(import.meta.dirname, "tap.mjs"), file, ...args], reached: reachedIn(file) }
}

function createClient(era) {
  const options = era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {}
  return new Client({ name: "rig", version: "0" }, { ...options, capabilities: { elicitation: { form: {} } } })
}
