// `pnpm rig proxies`: runs the guide's configurations of nginx and Caddy, and plays MCP of both eras with streams, sign-in, and
// the WebSocket of a page in a real browser through each. A name runs one proxy.
import { deepStrictEqual, ok } from "node:assert"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { bundlePage, openBrowser } from "@x/browser-rig"
import { play } from "../matrix/play.mjs"
import { serveTokens } from "../matrix/serve-tokens.mjs"
import { COOKIE, serveBehind } from "./serve-behind.mjs"
import { freePort, PROXIES, startProxy, writeCertificate } from "./start-proxy.mjs"

const folder = process.env.PROXIES_FOLDER
if (folder === undefined) startTrusting()
else await playAll(process.argv.slice(2))

/** Starts this script again: Node reads the certificates that it trusts only once. */
function startTrusting() {
  const scratch = mkdtempSync(join(tmpdir(), "proxies-"))
  try {
    const env = { ...process.env, PROXIES_FOLDER: scratch, NODE_EXTRA_CA_CERTS: writeCertificate(scratch) }
    const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    process.exitCode = spawnSync(process.execPath, args, { env, stdio: "inherit" }).status ?? 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function playAll(wanted) {
  const script = await bundlePage(new URL("page.ts", import.meta.url))
  for (const name of Object.keys(PROXIES)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    try {
      await playBehind(name, script)
      console.log(`✓ ${name}: both eras with their streams, sign-in, and a page's WebSocket`)
    } catch (thrown) {
      process.exitCode = 1
      console.error(`✗ ${name}:`, thrown)
    }
  }
}

async function playBehind(name, script) {
  const port = await freePort()
  const site = `https://localhost:${port}`
  const opened = []
  const open = (one) => {
    opened.unshift(one)
    return one
  }
  try {
    const tokens = open(await serveTokens())
    const app = open(await serveBehind(site, tokens, script))
    open(await startProxy(name, { port, upstream: app.port, folder }))
    await play(`${site}/mcp`, app.board, { fetch, authProvider: tokens.createProvider() })
    const browser = open(await openBrowser())
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    await context.addCookies([{ ...COOKIE, url: site }])
    const page = await context.newPage()
    await page.goto(site)
    await page.waitForSelector('body[data-state="connected"]', { state: "attached" })
    await fill(`${site}/mcp/person`, tokens)
    await page.waitForSelector('body[data-basket="full"]', { state: "attached" })
    deepStrictEqual([...app.addresses], ["127.0.0.1"])
  } finally {
    for (const one of opened) await one.close()
  }
}

/** Calls the page's action as the person's model does. */
async function fill(url, tokens) {
  const client = new Client({ name: "rig", version: "0" })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider: tokens.createProvider() }))
  const { tools } = await client.listTools()
  const tool = tools.find(({ name }) => name.endsWith("fill"))
  ok(tool, "the model does not see the page's action")
  ok(!(await client.callTool({ name: tool.name })).isError)
  await client.close()
}
