// Tests a real Next application: a client calls the actions of its page, which is open in Chromium. Exits with 1 on a failure.
import { equal, ok } from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cp, readFile, rm, writeFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { chromium } from "playwright-core"

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1" }
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

// Uses a copy, because the test edits the application while it runs, and Next adds files.
await rm(at("brought/app"), { recursive: true, force: true })
await cp(at("app"), at("brought/app"), { recursive: true })
await cp(at("next.config.mjs"), at("brought/next.config.mjs"))

const browser = await chromium.launch({ executablePath: process.env.CHROME_PATH, args: FLAGS })
try {
  await drive("dev", [callIt, reloadIt, leaveItItsOwn, editIt])
  await cp(at("app"), at("brought/app"), { recursive: true })
  const next = at("brought/node_modules/next/dist/bin/next")
  const [built] = await once(
    spawn(process.execPath, [next, "build"], { cwd: at("brought"), env, stdio: "inherit" }),
    "exit",
  )
  equal(built, 0, "next build failed")
  await drive("start", [callIt, reloadIt, leaveItItsOwn])
} finally {
  await browser.close()
}

async function drive(how, steps) {
  const served = await serve(how)
  try {
    const page = await browser.newPage()
    const sockets = followSockets(page)
    await page.goto(served.url)
    const client = new Client({ name: "next-rig", version: "0" }, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(new URL("__mcp", served.url)))
    await until("the page's tool", () => lists(client, "board__add"))
    for (const step of steps) await step({ ...served, how, page, client, sockets })
    await client.close()
    await page.close()
    console.log(`✓ next ${how}: the page is listed and called, and the app has its own routes and sockets`)
  } finally {
    await served.close()
  }
}

async function callIt({ page, client }) {
  const called = await client.callTool({ name: "board__add", arguments: { title: "Tea" } })
  ok(called.isError !== true, JSON.stringify(called))
  await page.getByText("Tea").waitFor()
  ok((await readBoard(client)).includes("Tea"), "the state was not read")
}

async function reloadIt({ page, client }) {
  await page.reload()
  await until("the page after its reload", async () => !(await readBoard(client)).includes("Tea"))
  const { isError } = await client.callTool({ name: "board__add", arguments: { title: "Milk" } })
  ok(isError !== true, "the reloaded page was not called")
  await page.getByText("Milk").waitFor()
}

async function leaveItItsOwn({ url, how, sockets }) {
  equal((await fetch(new URL("any/other/page", url))).status, 200, "the app lost its own routes")
  equal((await fetch(new URL(".well-known/oauth-protected-resource", url))).status, 404)
  const open = sockets.open().map((address) => new URL(address).pathname)
  ok(open.includes("/mcp/pages"), `the page's socket is closed; open are ${open.join(", ")}`)
  equal(open.includes("/_next/hmr"), how === "dev", "expected one socket for hot updates")
}

/** Edits the service's module, and expects its new tool. */
async function editIt({ client }) {
  const file = at("brought/app/board.js")
  const text = await readFile(file, "utf8")
  const more = 'clear: action({ description: "Clear", execute: () => cards.next([]) }),'
  await writeFile(file, text.replace("actions: {", `actions: {\n    ${more}`))
  await until("the tool that was added at run time", () => lists(client, "board__clear"))
}

async function lists(client, name) {
  return (await client.listTools()).tools.some((tool) => tool.name === name)
}

async function readBoard(client) {
  return JSON.stringify(await client.callTool({ name: "get_state", arguments: { path: "board" } }))
}

function followSockets(page) {
  const open = new Set()
  page.on("websocket", (socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
  })
  return { open: () => [...open].map((socket) => socket.url()) }
}

async function serve(how) {
  const server = spawn(process.execPath, [at("src/serve.mjs"), how], { env, stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(server, "exit")
  for await (const line of createInterface(server.stdout)) {
    const url = /^serving (.*)$/.exec(line)?.[1]
    if (url !== undefined) return { url, close: () => server.kill() && exited }
  }
  throw new Error("the server exited before it was ready")
}

async function until(what, holds) {
  const end = Date.now() + 60_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited a minute for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
