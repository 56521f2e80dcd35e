import { afterEach, describe, expect, it } from "vitest"
import type { Seen } from "./http-client.fixture.js"
import { connected, type Rig, startRig } from "./support.js"

let rig: Rig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

describe.each(["modern", "legacy"] as const)("a %s client over HTTP", (era) => {
  it("lists, calls and reads the page, and is notified of the person's changes", async () => {
    rig = await startRig()
    const tab = await rig.open()
    const client = await rig.connect(era)

    await client.until((names) => names.includes("board__add"))
    const before = client.notices()
    await tab.evaluate(() => Reflect.get(globalThis, "add")("tea"))
    await client.until((names) => names.includes("board__clear"))
    await client.noticed(before + 1)

    expect(client.notices()).toBe(before + 1)
    expect(await client.names()).toContain("board__settings__reset")
    expect(await client.call("get_state", { path: "board" })).toContain("tea")
    const called = await client.call("board__add", { title: "milk" })
    expect(called).not.toContain("isError")
    expect(await client.call("get_state", { path: "board" })).toContain("milk")
    expect(await client.call("board__add", { name: "x" })).toContain("title")
  })
})

describe("a reload", () => {
  it("changes no list, and a harmless call waits for it", async () => {
    rig = await startRig()
    const tab = await rig.open()
    const client = await rig.connect("modern")
    await client.until((names) => names.includes("board__add"))
    const before = client.notices()

    const gone = rig.tabs((tabs) => tabs.length === 0)
    const reloading = tab.reload()
    await gone
    const answer = await client.call("board__where")
    await reloading
    await connected(tab)

    expect(answer).toContain("Board")
    expect(client.notices()).toBe(before)
  })
})

describe("a tab", () => {
  it("that was duplicated is distinguished from the original", async () => {
    rig = await startRig()
    const first = await rig.open()

    const opened = rig.context.waitForEvent("page")
    await first.evaluate(() => void globalThis.open(location.href))
    await connected(await opened)
    await rig.tabs((tabs) => new Set(tabs.map(({ id }) => id)).size === 2)

    expect(await first.evaluate(() => Reflect.get(globalThis, "statuses").at(-1))).toBe('{"state":"connected"}')
  })

  it("that is closed settles its calls at once, and later calls answer which app to open", async () => {
    rig = await startRig({ reloadMs: 0 })
    const client = await rig.connect("modern")
    const tab = await rig.open()
    await client.until((names) => names.includes("board__slow"))
    const slow = client.call("board__slow")
    await tab.waitForFunction(() => Reflect.get(globalThis, "running")())

    await tab.close()
    const answer = await slow
    await client.until((names) => !names.includes("board__slow"))
    const absent = await client.call("board__slow")

    expect(answer).toContain("connection_lost")
    expect(absent).toContain(`open the app at ${rig.origin}`)
  })

  it("connects again when its socket is dropped", async () => {
    rig = await startRig({ reloadMs: 0 })
    const tab = await rig.open()
    await rig.tabs((tabs) => tabs.length === 1)

    const gone = rig.tabs((tabs) => tabs.length === 0)
    rig.drop()
    await gone
    await rig.tabs((tabs) => tabs.length === 1)

    expect(await tab.evaluate(() => Reflect.get(globalThis, "statuses"))).toContainEqual(
      expect.stringContaining("waiting"),
    )
  })

  it("that the host rejects says why, and does not try again", async () => {
    rig = await startRig({ given: { token: "wrong" } })

    const tab = await rig.context.newPage()
    await tab.goto(`${rig.origin}/`)
    await tab.waitForFunction(() => Reflect.get(globalThis, "statuses")?.at(-1)?.includes("refused"))

    expect(await tab.evaluate(() => Reflect.get(globalThis, "statuses").at(-1))).toContain("unauthorized")
  })
})

describe("tabs that differ", () => {
  it("can be selected by a client, each by its own key", async () => {
    rig = await startRig()
    const client = await rig.connect("modern")
    const first = await rig.open("?title=First")
    await rig.open("?title=Second")
    await client.until((names) => names.includes("board__add"))

    await first.evaluate(() => Reflect.get(globalThis, "add")("tea"))
    const choices = await untilChoices(client)
    const whereIs = (target: string) => client.call("run_action", { name: "board__where", target })
    const [one, other] = ["First", "Second"].map((title) => choices.find((each) => each.title === title)?.target ?? "")

    expect(await whereIs(one ?? "")).toContain("First")
    expect(await whereIs(other ?? "")).toContain("Second")
    expect(await client.call("get_state", { target: one })).toContain("tea")
    expect(await client.call("get_state", { target: other })).not.toContain("tea")
  })
})

/** Waits until `get_state` offers targets, checked again on each notice. */
async function untilChoices(client: Seen): Promise<readonly { readonly target: string; readonly title: string }[]> {
  for (;;) {
    const before = client.notices()
    const { content } = await client.client.callTool({ name: "get_state", arguments: { path: "board" } })
    const said = content.flatMap((block) => (block.type === "text" ? [/targets: (\[.*\])/.exec(block.text)?.[1]] : []))
    const found = said.find((text) => text !== undefined)
    if (found !== undefined) return JSON.parse(found)
    await client.noticed(before + 1)
  }
}
