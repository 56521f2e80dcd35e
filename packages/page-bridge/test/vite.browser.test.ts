import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { openBrowser } from "@x/browser-rig"
import express from "express"
import type { Browser, Page } from "playwright-core"
import { build, createServer } from "vite"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { PageBridgeOptions } from "../src/vite.js"
import { connectClient, copyApp, startVite, toConfig, urlOf } from "./vite-app.fixture.js"

let browser: Browser
const closers: (() => unknown)[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Starts the app under Vite, with a tab and a client. */
async function start(era: "modern" | "legacy", options: PageBridgeOptions = {}) {
  const app = copyApp()
  const config = toConfig(app.root, options)
  // A restart takes the same port again.
  const { server, url } = await startVite({ ...config, server: { ...config.server, port: await freePort() } })
  closers.push(app.remove, () => server.close())
  const page = await open(url)
  const client = await connectClient(url, era)
  closers.push(() => client.client.close())
  await client.whenListed((names) => names.includes("board__add"))
  return { app, server, url, page, ...client, said: config.said }
}

function freePort(): Promise<number> {
  const probe = createHttpServer()
  return new Promise((resolve) => {
    probe.listen(0, "127.0.0.1", () => {
      const { port } = Object(probe.address())
      probe.close(() => resolve(port))
    })
  })
}

async function open(url: string, ready?: string): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  closers.push(() => context.close())
  const page = await context.newPage()
  await page.goto(url)
  if (ready !== undefined) await page.waitForSelector(ready)
  else await page.waitForFunction(`globalThis.state === "connected"`)
  return page
}

/** Returns a live view's first frames, which describe the current state. */
async function firstFrames(url: URL): Promise<unknown> {
  const { body } = await fetch(url)
  let text = ""
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes("\n\n")) break
  }
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "[]")[0]
}

describe.each(["modern", "legacy"] as const)("a client of the %s era at npm run dev", (era) => {
  it("lists and calls the page, and receives one notice per click", async () => {
    const { page, client, tools, whenListed, notices } = await start(era)
    const before = notices()

    await page.click("button")
    const names = await whenListed((listed) => listed.includes("board__undo"))
    const called = await client.callTool({ name: "board__add", arguments: {} })

    expect(names).toContain("board__add")
    expect(called.structuredContent).toMatchObject({ count: 2 })
    expect(notices() - before).toBe(1)
    expect(await tools()).toContain("board__undo")
  })

  it("keeps its session and its list over a page reload, and a call waits for it", async () => {
    const { page, client, notices, tools } = await start(era)
    const before = notices()

    const reloaded = page.reload()
    const called = await client.callTool({ name: "board__look", arguments: {} })
    await reloaded
    await page.waitForFunction(`globalThis.state === "connected"`)

    expect(called.isError).toBeUndefined()
    expect(await tools()).toContain("board__add")
    expect(notices() - before).toBe(0)
  })

  it("continues after a restart caused by a changed configuration", async () => {
    const { server, client, tools, page } = await start(era)

    await page.evaluate("globalThis.restarted = true")
    await server.restart()
    // Vite's client reloads the page as soon as the server is back.
    await page.waitForFunction(`globalThis.restarted === undefined && globalThis.state === "connected"`)

    expect(await tools()).toContain("board__add")
    expect((await client.callTool({ name: "board__add", arguments: {} })).isError).toBeUndefined()
  })
})

it("keeps the connection over a hot update of a module without the service", async () => {
  const { app, page, notices, client } = await start("modern")
  const before = notices()

  writeFileSync(join(app.root, "label.js"), 'export const label = "second"\n')
  await page.waitForFunction(`globalThis.label === "second"`)

  expect(await page.evaluate("globalThis.state")).toBe("connected")
  expect((await client.callTool({ name: "board__add", arguments: {} })).isError).toBeUndefined()
  expect(notices() - before).toBeLessThanOrEqual(1)
})

it("updates the tools after the service was edited", async () => {
  const { app, whenListed } = await start("modern")
  const path = join(app.root, "service.js")

  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(
      "    add: action({",
      '    clear: action({ description: "All", execute: () => count$.next(0) }),\n    add: action({',
    ),
  )

  expect(await whenListed((names) => names.includes("board__clear"))).toContain("board__add")
})

it("replaces the earlier connection of a module that accepts its own hot update", async () => {
  const app = copyApp()
  const main = join(app.root, "main.js")
  const code = `import { connectPage } from "@x/page-bridge"
import { board } from "./service.js"
const states = (globalThis.connections ??= [])
const index = states.push("") - 1
connectPage(board).status.subscribe(({ state }) => { states[index] = state; globalThis.state = state })
import.meta.hot?.accept()
`
  writeFileSync(main, code)
  const { server, url } = await startVite(toConfig(app.root))
  closers.push(app.remove, () => server.close())
  const page = await open(url)

  writeFileSync(main, `${code}// edited\n`)
  await page.waitForFunction(`globalThis.connections.length === 2 && globalThis.connections[1] === "connected"`)

  expect(await page.evaluate("globalThis.connections")).toEqual(["left", "connected"])
})

it("has one tab under StrictMode, which mounts twice", async () => {
  const { client } = await start("modern")

  const { tools } = await client.listTools()

  expect(JSON.stringify(tools)).not.toContain('"target"')
})

it("serves https, and says what clients need for it", async () => {
  const { default: basicSsl } = await import("@vitejs/plugin-basic-ssl")
  const app = copyApp()
  const config = toConfig(app.root)
  const { server, url } = await startVite({ ...config, plugins: [basicSsl(), ...(config.plugins ?? [])] })
  closers.push(app.remove, () => server.close())
  await open(url)

  expect(url).toMatch(/^https:/)
  await expect.poll(() => fetchInsecurely(new URL("__mcp", url)), { timeout: 10_000 }).toContain("board__add")
  expect(config.said.join("\n")).toContain("NODE_EXTRA_CA_CERTS")
})

it("shows beside the app what models see of it, with values masked, and prints the URL", async () => {
  const { client, url, said } = await start("modern")
  const live = await open(new URL("__mcp/live/", url).href, "agentic-live-view .row")

  await client.callTool({ name: "board__add", arguments: {} })
  await live.locator("agentic-live-view").getByText("board__undo").first().waitFor()
  const frames = await firstFrames(new URL("__mcp/live/events", url))

  expect(frames).toMatchObject({ show: { arguments: false, results: false, values: false } })
  expect(said.join("\n")).toContain(`${url.replace("localhost", "127.0.0.1")}__mcp/live/`)
})

it("shows values or no live view at all if configured, and never a live view to other sites", async () => {
  const app = copyApp()
  const shown = await startVite(toConfig(app.root, { liveView: { show: true } }))
  const without = await startVite(toConfig(app.root, { liveView: false }))
  closers.push(
    app.remove,
    () => shown.server.close(),
    () => without.server.close(),
  )

  const frames = await firstFrames(new URL("__mcp/live/events", shown.url))
  const headers = { origin: "https://evil.example", "content-type": "application/json" }
  const foreign = await fetch(new URL("__mcp/live/call", shown.url), { method: "POST", headers, body: "{}" })
  const answer = await fetch(new URL("__mcp/live/events", without.url))

  expect(frames).toMatchObject({ show: { arguments: true, results: true, values: true } })
  expect(foreign.status).toBe(403)
  expect(answer.headers.get("content-type")).not.toBe("text/event-stream")
})

it("lists a single application's tools without a prefix", async () => {
  const app = copyApp()
  const { server, url } = await startVite(toConfig(app.root, { app: "board" }))
  closers.push(app.remove, () => server.close())
  await open(url)
  const { client, whenListed } = await connectClient(url, "modern")
  closers.push(() => client.close())

  expect(await whenListed((names) => names.includes("add"))).not.toContain("board__add")
})

it("is for this machine only under --host, and says so", async () => {
  const app = copyApp()
  const config = toConfig(app.root)
  const { server, url } = await startVite({ ...config, server: { port: 0, host: "0.0.0.0" } })
  closers.push(app.remove, () => server.close())
  const others = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ internal, family }) => !internal && family === "IPv4"),
  )

  const own = await fetch(new URL("__mcp", url), { method: "DELETE" })
  const foreign = await Promise.all(
    others.flatMap(({ address }) =>
      ["__mcp", "__mcp/live/"].map((path) => fetch(new URL(path, url.replace("localhost", address)))),
    ),
  )

  expect(own.status).not.toBe(403)
  expect(foreign.map(({ status }) => status)).toEqual(others.flatMap(() => [403, 403]))
  expect(config.said.join("\n")).toContain("allowedHosts")
})

it("runs in middleware mode, on another server's port", async () => {
  const app = copyApp()
  const outer = express()
  const http = createHttpServer(outer)
  const config = toConfig(app.root)
  const vite = await createServer({ ...config, server: { middlewareMode: true, hmr: { server: http } } })
  outer.use(vite.middlewares)
  const url = await new Promise<string>((resolve) => {
    http.listen(0, "127.0.0.1", () => resolve(`http://localhost:${Object(http.address()).port}/`))
  })
  closers.push(
    app.remove,
    () => http.close(),
    () => http.closeAllConnections(),
    () => vite.close(),
  )
  await open(url)

  const { whenListed, client } = await connectClient(url, "modern")
  closers.push(() => client.close())

  expect(await whenListed((names) => names.includes("board__add"))).toContain("board__add")
  expect(config.said.join("\n")).toContain("/__mcp on the server that mounts Vite")
})

describe("the rest of a project", () => {
  it("stays unchanged unless `write` is set, and then only the server's entry changes", async () => {
    const app = copyApp()
    closers.push(app.remove)
    const before = readdirSync(app.root)
    const quiet = await startVite(toConfig(app.root))
    await quiet.server.close()
    expect(readdirSync(app.root).filter((name) => name !== ".vite")).toEqual(before)
    writeFileSync(join(app.root, ".mcp.json"), '{ "mcpServers": { "other": { "command": "x" } } }')

    const { server } = await startVite(toConfig(app.root, { name: "shop", write: [".mcp.json", ".vscode/mcp.json"] }))
    closers.push(() => server.close())
    await expect.poll(() => readdirSync(app.root)).toContain(".vscode")

    const url = `${urlOf(server)}__mcp`.replace("localhost", "127.0.0.1")
    expect(JSON.parse(readFileSync(join(app.root, ".mcp.json"), "utf8"))).toEqual({
      mcpServers: { other: { command: "x" }, shop: { type: "http", url } },
    })
    expect(JSON.parse(readFileSync(join(app.root, ".vscode/mcp.json"), "utf8")).servers.shop.url).toBe(url)
  })

  it("contains nothing of the plugin after a build", async () => {
    const app = copyApp()
    closers.push(app.remove)

    const result = await build({ ...toConfig(app.root), build: { write: false } })

    const outputs = [result].flat().flatMap((one) => ("output" in one ? one.output : []))
    const code = outputs.map((one) => (one.type === "chunk" ? one.code : String(one.source))).join("\n")
    expect(code).toContain("/mcp/pages")
    expect(code).not.toContain("__mcp")
    expect(code).not.toContain("createHotContext")
  })

  it("answers sign-in metadata with a 404 instead of the app's page", async () => {
    const app = copyApp()
    const { server, url } = await startVite(toConfig(app.root))
    closers.push(app.remove, () => server.close())

    const metadata = await fetch(new URL(".well-known/oauth-authorization-server", url), { headers: { accept: "*/*" } })

    expect([metadata.status, metadata.headers.get("content-type")]).toEqual([404, "application/json"])
    expect((await fetch(new URL("some/route", url), { headers: { accept: "text/html" } })).status).toBe(200)
  })
})

/** Sends one request and accepts any certificate, which `fetch` cannot do. */
async function fetchInsecurely(url: URL): Promise<string> {
  const { request } = await import("node:https")
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "0.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } })
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/list",
    }
    const sent = request(url, { method: "POST", headers, rejectUnauthorized: false }, (response) => {
      let text = ""
      response.on("data", (chunk) => {
        text += String(chunk)
      })
      response.on("end", () => resolve(text))
    })
    sent.on("error", reject)
    sent.end(body)
  })
}
