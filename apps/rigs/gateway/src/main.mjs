// `pnpm gateway`: asks each server for everything, directly and through the gateway, in both eras, and says what differs.
import { isDeepStrictEqual } from "node:util"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { createGateway } from "@x/mcp-upstream/node"
import { differences } from "./differences.mjs"
import { dump } from "./dump.mjs"
import { servers } from "./servers.mjs"

const wanted = process.argv.slice(2)
const names = Object.keys(servers).filter((name) => wanted.length === 0 || wanted.includes(name))
let failed = 0

for (const name of names) {
  const direct = await askDirectly(servers[name]())
  for (const era of ["legacy", "modern"]) {
    const through = await askThrough(servers[name](), era)
    const found = differences(direct, through)
    failed += found.length
    const asked = Object.keys(direct).length
    console.log(
      `${found.length === 0 ? "ok    " : "differs"} ${name}, ${era}: ${asked} answers, ${found.length} differ`,
    )
    for (const line of found) console.log(`        ${line}`)
  }
}
console.log(failed === 0 ? "through the gateway all is as it is" : `${failed} differences`)
process.exitCode = failed === 0 ? 0 : 1

async function askDirectly({ args, env, ...asked }) {
  const client = createClient("legacy")
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, ...(env && { env }), stderr: "ignore" }),
  )
  const answers = await dump(client, asked)
  await client.close()
  return answers
}

async function askThrough({ args, env, ...asked }, era) {
  const server = { command: process.execPath, args, ...(env && { env }), prefix: false }
  const gateway = createGateway({ mcpServers: { server } })
  const adapter = createMcpAdapter(gateway.service, {
    limits: { readyWaitMs: 30_000 },
    publish: { profile: "verbatim" },
  })
  const client = createClient(era)
  await client.connect(connectInMemory(adapter, { extension: gateway.extension, results: { catchUp: false } }))
  const answers = await dump(client, asked)
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

function createClient(era) {
  const options = era === "modern" ? { versionNegotiation: { mode: "auto" } } : {}
  return new Client({ name: "rig", version: "0" }, { ...options, capabilities: { elicitation: { form: {} } } })
}
