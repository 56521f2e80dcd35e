import { openBrowser, type PageOptions, servePage } from "@x/browser-rig"
import type { Browser, CDPSession } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"

const script = new URL("./offer.fixture.ts", import.meta.url)
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

describe("in a browser with WebMCP", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser({ args: ["--enable-features=WebMCP"] })
  })
  afterAll(() => browser.close())

  it("lists each available action and each state, with hints", async () => {
    const { agent } = await openShop(browser)

    await agent.until((tools) => tools.length === 6)

    expect([...agent.tools.keys()].sort()).toEqual(["add", "get_state", "list_links", "search", "state.basket", "wait"])
    expect(agent.tools.get("add")?.inputSchema).toMatchObject({ required: ["item"] })
    expect(agent.tools.get("search")?.annotations).toMatchObject({ readOnly: true, untrustedContent: true })
    expect(agent.tools.get("state.basket")).toMatchObject({
      description: "Reads the current basket: What is in the basket",
      annotations: { readOnly: true },
    })
  })

  it("follows the service: an action that a call makes available appears and disappears", async () => {
    const { agent } = await openShop(browser)
    await agent.until((tools) => tools.includes("add"))

    const { output } = await agent.call("add", { item: "tea" })
    await agent.until((tools) => tools.includes("clear") && tools.includes("checkout__pay"))
    await agent.call("clear")
    await agent.until((tools) => !tools.includes("clear") && !tools.includes("checkout__pay"))

    expect(output).toMatchObject({ ok: true, result: { count: 1 } })
    expect(JSON.stringify(output)).toContain("checkout__pay")
  })

  it("reads a state's current value, or a part of it", async () => {
    const { agent } = await openShop(browser)
    await agent.until((tools) => tools.includes("state.basket"))
    await agent.call("add", { item: "tea" })

    const whole = await agent.call("state.basket")
    const part = await agent.call("state.basket", { pointer: "/0" })
    const wrong = await agent.call("state.basket", { nonsense: 1 })

    expect(whole.output).toEqual({ ok: true, result: { result: ["tea"] } })
    expect(part.output).toEqual({ ok: true, result: "tea" })
    expect(wrong.output).toMatchObject({ ok: false })
  })

  it("returns a failure and an invalid input as data, to the agent and to the page", async () => {
    const { agent, page } = await openShop(browser)
    await agent.until((tools) => tools.includes("search"))

    const failed = await agent.call("search")
    const wrong = await agent.call("add", { item: 5 })
    const inPage = await page.evaluate(executeInPage("search", {}))

    expect(failed).toMatchObject({ status: "Completed", output: { ok: false } })
    expect(failed.output).toMatchObject({ error: expect.stringContaining("come back tomorrow") })
    expect(wrong.output).toMatchObject({ ok: false, error: expect.stringContaining("item") })
    expect(JSON.parse(String(inPage))).toEqual(failed.output)
  })

  it("lets an agent cancel a call", async () => {
    const { agent, page } = await openShop(browser)
    await agent.until((tools) => tools.includes("wait"))

    const called = agent.call("wait")
    await page.waitForFunction("waiting === 1")
    await agent.cancel()

    expect((await called).status).toBe("Canceled")
  })

  it("asks the person in the page, and runs nothing without a yes", async () => {
    const answers = [
      { given: { answer: "yes" }, result: { ok: true } },
      { given: { answer: "declined" }, result: { ok: false } },
      { given: {}, result: { ok: false, error: expect.stringContaining("confirmation_unavailable") } },
    ]
    for (const { given, result } of answers) {
      const { agent, page } = await openShop(browser, { given })
      await agent.until((tools) => tools.includes("add"))
      await agent.call("add", { item: "tea" })
      await agent.until((tools) => tools.includes("checkout__pay"))

      const { output } = await agent.call("checkout__pay")

      expect(output).toMatchObject(result)
      expect(await page.evaluate("asked")).toEqual(
        "answer" in given ? ["Pay for 1 items?\n\nAction: checkout/pay"] : [],
      )
    }
  })

  it("names the tool that the browser rejected, and keeps the others", async () => {
    const body = `<script>document.modelContext.registerTool({ name: "add", description: "mine", execute: () => "mine" })</script>`
    const { agent, page } = await openShop(browser, { body })

    await agent.until((tools) => tools.includes("state.basket"))
    await page.waitForFunction(`JSON.parse(statuses.at(-1)).state === "offered"`)

    expect(JSON.parse(await page.evaluate("statuses.at(-1)"))).toMatchObject({
      tools: 5,
      refused: [{ name: "add", reason: expect.stringContaining("Duplicate") }],
    })
    expect((await agent.call("add")).output).toBe("mine")
  })

  it("says why a page may have no tools, and stops trying", async () => {
    const { page } = await openShop(browser, { headers: { "Permissions-Policy": "tools=()" } })

    await page.waitForFunction(`JSON.parse(statuses.at(-1)).state !== "starting"`)

    expect(JSON.parse(await page.evaluate("statuses.at(-1)"))).toMatchObject({ state: "refused" })
  })

  it("unregisters everything when closed, even under a prefix", async () => {
    const { agent, page } = await openShop(browser, { given: { prefix: "shop." } })
    await agent.until((tools) => tools.includes("shop.add") && tools.includes("shop.state.basket"))

    await page.evaluate("offer.close()")
    await agent.until((tools) => tools.length === 0)

    expect(await page.evaluate("statuses.at(-1)")).toBe('{"state":"closed"}')
  })
})

describe("in a current browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser.close())

  it("does nothing and says so without WebMCP", async () => {
    const { page, agent } = await openShop(browser)

    const statuses = await page.evaluate<string[]>("statuses")

    expect(statuses.map((status) => JSON.parse(status))).toEqual([
      { state: "unsupported", reason: expect.stringContaining("no WebMCP") },
    ])
    expect([...agent.tools.keys()]).toEqual([])
  })

  it("works on the polyfill, whose shape is that of Chromium 154", async () => {
    const { page } = await openShop(browser, { script: new URL("./polyfilled.fixture.ts", import.meta.url) })
    await page.waitForFunction(`JSON.parse(statuses.at(-1)).state === "offered"`)

    const result = await page.evaluate<string>(executeInPage("add", { item: "tea" }))
    await page.waitForFunction(
      `document.modelContext.getTools().then((tools) => tools.some(({ name }) => name === "clear"))`,
    )

    expect(result).toContain('"count":1')
  })
})

/** Calls a tool as another script of the page does: with JSON up to Chromium 154, with an object since. */
function executeInPage(name: string, input: object): string {
  return `document.modelContext.getTools().then((tools) => {
    const tool = tools.find((one) => one.name === "${name}")
    const input = ${JSON.stringify(input)}
    return document.modelContext.executeTool(tool, JSON.stringify(input)).catch(() => document.modelContext.executeTool(tool, input))
  })`
}

/** Opens the shop in a tab, with an agent on the DevTools protocol. */
async function openShop(browser: Browser, options: PageOptions & { readonly script?: URL } = {}) {
  const served = await servePage(options.script ?? script, options)
  const context = await browser.newContext()
  closers.push(served.close, () => context.close())
  const page = await context.newPage()
  const agent = await openAgent(await context.newCDPSession(page))
  await page.goto(served.url)
  await page.waitForFunction("globalThis.statuses?.length > 0")
  return { page, agent }
}

interface SeenTool {
  readonly name: string
  readonly frameId: string
  readonly description: string
  readonly inputSchema?: object
  readonly annotations?: object
}

interface Answer {
  readonly status: string
  readonly output: unknown
}

/** Creates an external agent. It receives events of the protocol's WebMCP domain, which the installed types do not include. */
async function openAgent(session: CDPSession) {
  const cdp = session as unknown as {
    send(method: string, params?: object): Promise<Record<string, string>>
    on(event: string, listener: (params: never) => void): void
  }
  const tools = new Map<string, SeenTool>()
  const checks = new Set<() => void>()
  const answers = new Map<string, Answer>()
  let invoked = ""
  const changed = (): void => {
    for (const check of checks) check()
  }
  cdp.on("WebMCP.toolsAdded", (event: { tools: SeenTool[] }) => {
    for (const tool of event.tools) tools.set(tool.name, tool)
    changed()
  })
  cdp.on("WebMCP.toolsRemoved", (event: { tools: SeenTool[] }) => {
    for (const { name } of event.tools) tools.delete(name)
    changed()
  })
  cdp.on("WebMCP.toolResponded", (event: Answer & { invocationId: string }) => {
    answers.set(event.invocationId, event)
    changed()
  })
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = (): void => {
        if (!holds()) return
        checks.delete(check)
        resolve()
      }
      checks.add(check)
      check()
    })
  await cdp.send("WebMCP.enable")
  return {
    tools,
    until: (holds: (names: readonly string[]) => boolean) => until(() => holds([...tools.keys()])),
    async call(name: string, input: object = {}) {
      const { frameId = "" } = tools.get(name) ?? {}
      const { invocationId = "" } = await cdp.send("WebMCP.invokeTool", { frameId, toolName: name, input })
      invoked = invocationId
      await until(() => answers.has(invocationId))
      return answers.get(invocationId) ?? { status: "none", output: undefined }
    },
    cancel: () => cdp.send("WebMCP.cancelInvocation", { invocationId: invoked }),
  }
}
