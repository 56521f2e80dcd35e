import { afterEach, describe, expect, it } from "vitest"
import { connected, type Rig, startRig } from "./support.js"

let rig: Rig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

describe.each(["modern", "legacy"] as const)("a %s client over HTTP", (era) => {
  it("lists, calls and reads the page, and is told of what a person does in it", async () => {
    rig = await startRig()
    const tab = await rig.open()
    const client = await rig.connect(era)

    await client.until((names) => names.includes("board__add"))
    const before = client.notices()
    await tab.evaluate(() => Reflect.get(globalThis, "add")("tea"))
    await client.until((names) => names.includes("board__clear"))

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
  it("is no change at all, and a call waits for it", async () => {
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
