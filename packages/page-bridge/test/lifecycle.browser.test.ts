import { kill } from "node:process"
import type { Browser, Page } from "playwright-core"
import { afterEach, describe, expect, it } from "vitest"
import { connected, type Rig, startRig } from "./support.js"

let rig: Rig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

describe("of two tabs", () => {
  it("the one in front answers, under stable names", async () => {
    rig = await startRig({}, { plain: true })
    const one = await rig.open("?title=one")
    const client = await rig.connect("modern")
    await client.until((names) => names.includes("board__add"))
    const before = client.notices()
    await rig.open("?title=other")
    await rig.tabs(inFront("other"))
    const second = await rig.answersAs(client, "other")

    await one.bringToFront()
    await rig.tabs(inFront("one"))
    const first = await rig.answersAs(client, "one")

    expect([second, first]).toEqual(["other", "one"])
    expect(client.notices()).toBe(before)
  })

  it("the one in which a call runs answers until it is finished", async () => {
    rig = await startRig({}, { plain: true })
    const one = await rig.open("?title=one")
    const client = await rig.connect("modern")
    await client.until((names) => names.includes("board__slow"))
    const slow = client.call("board__slow")
    await one.waitForFunction(() => Reflect.get(globalThis, "running")())

    await rig.open("?title=other")
    await rig.tabs(inFront("other"))
    const during = await client.call("board__where")
    await one.evaluate(() => Reflect.get(globalThis, "finish")())
    await slow
    const after = await rig.answersAs(client, "other")

    expect(during).toContain("one")
    expect(after).toBe("other")
  })

  it("a name that only the other has answers where it is", async () => {
    rig = await startRig({}, { plain: true })
    await rig.open("?title=one&extra=print")
    const client = await rig.connect("modern")
    await client.until((names) => names.includes("board__print"))

    await rig.open("?title=other")
    await client.until((names) => !names.includes("board__print"))

    expect(await client.call("board__print")).toContain('another tab of \\"board\\" has it')
  })
})

it.each([
  ["is closed", (tab: Page) => tab.close()],
  ["shows another document", (tab: Page) => tab.goto("about:blank")],
])("work that outlasts its call has failed, with the reason, if its page %s", async (_, leave) => {
  rig = await startRig({ reloadMs: 0, tasks: { wordsAfterMs: 0 } })
  const tab = await rig.open("?long=yes")
  const client = await rig.connect("modern")
  await client.until((names) => names.includes("board__slow"))
  const id = /task_id: (\w+)/.exec(await client.call("board__slow"))?.[1]
  await tab.waitForFunction(() => Reflect.get(globalThis, "running")())
  expect(await client.call("get_task", { id, waitMs: 0 })).toContain("still runs")

  await leave(tab)

  const answer = await client.call("get_task", { id, waitMs: 45_000 })
  expect(answer).toContain("failed: the connection was lost while action")
})

it("a crashed page's call is settled at once, and the app is back once it is opened", async () => {
  rig = await startRig({ reloadMs: 0 })
  const tab = await rig.open()
  const client = await rig.connect("modern")
  await client.until((names) => names.includes("board__slow"))
  const slow = client.call("board__slow")
  await tab.waitForFunction(() => Reflect.get(globalThis, "running")())

  const session = await rig.context.newCDPSession(tab)
  // A crashing page does not answer this command.
  session.send("Page.crash").catch(() => {})
  const answer = await slow
  await client.until((names) => !names.includes("board__slow"))
  // Playwright cannot drive a crashed page.
  await rig.open()
  await client.until((names) => names.includes("board__slow"))

  expect(answer).toContain("connection_lost")
  expect(await client.call("board__where")).toContain("Board")
})

it("a page goes into the back/forward cache, and is the same page when it returns", async () => {
  rig = await startRig({ reloadMs: 0 }, { backForwardCache: true })
  const tab = await rig.open()
  const client = await rig.connect("modern")
  await client.until((names) => names.includes("board__add"))
  await client.call("board__add", { title: "kept" })

  await tab.goto("data:text/html,elsewhere")
  await rig.tabs((tabs) => tabs.length === 0)
  await client.until((names) => !names.includes("board__add"))
  const absent = await client.call("board__add", { title: "lost" })
  await tab.goBack({ waitUntil: "commit" })
  await connected(tab)
  await client.until((names) => names.includes("board__add"))

  expect(absent).toContain("open the app at")
  // Only a page that was not reloaded still knows it.
  expect(await tab.evaluate(() => Reflect.get(globalThis, "statuses"))).toContain('{"state":"left"}')
  expect(await client.call("get_state", { path: "board" })).toContain("kept")
})

it("a page whose process is stopped counts as gone, runs no abandoned call, and comes back", async () => {
  rig = await startRig({ reloadMs: 0, beatMs: 200 })
  const tab = await rig.open()
  const client = await rig.connect("modern")
  await client.until((names) => names.includes("board__add"))
  const processes = await findRenderers(rig.browser)

  for (const id of processes) kill(id, "SIGSTOP")
  const lost = await client.call("board__add", { title: "too late" })
  await client.until((names) => !names.includes("board__add"))
  for (const id of processes) kill(id, "SIGCONT")
  await client.until((names) => names.includes("board__add"))
  await client.call("board__add", { title: "in time" })

  expect(lost).toContain("connection_lost")
  expect(await tab.evaluate(() => Reflect.get(globalThis, "statuses").at(-1))).toBe('{"state":"connected"}')
  const cards = await client.call("get_state", { path: "board" })
  expect(cards).toContain("in time")
  expect(cards).not.toContain("too late")
})

const inFront = (title: string) => (tabs: readonly { readonly title: string; readonly focused: boolean }[]) =>
  tabs.some((tab) => tab.focused && tab.title === title) && tabs.filter(({ focused }) => focused).length === 1

/** Returns the processes that run pages. */
async function findRenderers(browser: Browser): Promise<readonly number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id)
}
