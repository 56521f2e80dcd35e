import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { openBrowser } from "@x/browser-rig"
import { onTestFinished } from "vitest"
import { start } from "../src/start.fixture.js"
import { connect } from "../src/tour/connect.js"
import { textOf } from "../src/tour/text-of.js"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Starts the demo like `npm start`, with its page in a real browser and a real client, until the test ends. */
export async function openBoard({
  scheme = "light",
  width = 1280,
}: {
  scheme?: "light" | "dark"
  width?: number
} = {}) {
  const program = start("main", "--port", "0", "--quiet")
  const [, url = ""] = await program.said(/The board is at (http:\S+\/);/)
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 800 } })
  const faults: string[] = []
  const openTab = async (path = "") => {
    const page = await context.newPage()
    page.on("pageerror", (error) => faults.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text())
    })
    await page.goto(url + path)
    await page.waitForSelector(".card")
    return page
  }
  const page = await openTab()
  await page.waitForSelector('.status[data-status="connected"]')
  const { client, close, questions$ } = await connect(new StreamableHTTPClientTransport(new URL("mcp", url)))
  onTestFinished(close)
  const asked: string[] = []
  questions$.subscribe((question) => asked.push(question))

  return {
    url,
    page,
    openTab,
    client,
    program,
    /** The questions to the client, without those asked in the page. */
    asked,
    /** Errors from the pages' consoles. */
    faults,
    /** Returns the text of a tool's answer. */
    async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> {
      return textOf((await client.callTool({ name, arguments: { ...args } })).content)
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Returns a column's card ids as shown, from top to bottom. */
    cards: (column: string) => page.locator(`[data-column="${column}"] .card .id`).allTextContents(),
    /** Returns axe-core's findings for the current page. */
    async violations(): Promise<readonly string[]> {
      // Colours are only final after the animations.
      await page.evaluate(
        async () => void (await Promise.all(document.getAnimations().map(({ finished }) => finished))),
      )
      // The debugger is exempt from the page's policy.
      await page.evaluate(axe)
      const found = await page.evaluate("axe.run()")
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] } // as axe documents it
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
    },
  }
}
