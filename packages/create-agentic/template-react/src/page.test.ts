import { existsSync } from "node:fs"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { type Browser, chromium } from "playwright-core"
import { createServer, type ViteDevServer } from "vite"
import { afterAll, beforeAll, expect, it } from "vitest"

// The page in a real browser under Vite, used by a real client: the person sees the model's changes, and the model the
// person's.

let server: ViteDevServer
let browser: Browser
beforeAll(async () => {
  server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" })
  await server.listen()
  browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] })
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

// Begin here: one page, one model, one note from each.
it("shows what a model does, and the model sees what a person does", async () => {
  const url = server.resolvedUrls?.local[0] ?? ""
  const page = await browser.newPage()
  await page.goto(url)
  await page.waitForSelector('html[data-connection="connected"]')
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
  await client.connect(new StreamableHTTPClientTransport(new URL("__mcp", url)))
  const names = async () => (await client.listTools()).tools.map(({ name }) => name)
  await expect.poll(names, { timeout: 20_000 }).toContain("notes__add")
  expect(await names()).not.toContain("notes__remove")

  // The model adds a note, and the person sees it. Then the person adds one.
  await client.callTool({ name: "notes__add", arguments: { text: "Buy tea" } })
  await page.getByText("Buy tea").waitFor()
  await page.getByLabel("A note").fill("Drink it")
  await page.getByRole("button").click()

  // Now there are notes, the model may remove one, and its state has the person's.
  await expect.poll(names, { timeout: 20_000 }).toContain("notes__remove")
  const { content } = await client.callTool({ name: "get_state", arguments: { path: "notes" } })
  expect(JSON.stringify(content)).toContain("Drink it")
  await client.close()
})

/** Finds an installed Chromium, including one from `npx playwright-core install chromium`. */
function findChromium(): string {
  const places = [process.env["CHROME_PATH"], "/usr/bin/chromium", "/usr/bin/google-chrome", chromium.executablePath()]
  const found = places.find((place) => place !== undefined && existsSync(place))
  if (found === undefined)
    throw new Error('no Chromium: run "npx playwright-core install chromium", or set CHROME_PATH')
  return found
}
