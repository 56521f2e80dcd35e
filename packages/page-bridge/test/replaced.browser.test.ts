import type { Page } from "playwright-core"
import { afterEach, describe, expect, it } from "vitest"
import { connected, type Rig, startRig } from "./support.js"

let rig: Rig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const cardsOf = (tab: Page): Promise<unknown> => tab.evaluate(() => Reflect.get(globalThis, "titles")())
const inFront = (title: string) => (tabs: readonly { readonly title: string; readonly focused: boolean }[]) =>
  tabs.some((tab) => tab.focused && tab.title === title) && tabs.filter(({ focused }) => focused).length === 1

describe.each(["modern", "legacy"] as const)("a person who is asked through a %s client", (era) => {
  it("about the board in one tab, and clicks into another before accepting, loses neither", async () => {
    rig = await startRig({}, { plain: true })
    const one = await rig.open("?title=one&card=tea")
    const other = await rig.open("?title=other&card=milk")
    await one.bringToFront()
    await rig.tabs(inFront("one"))
    const { answersAs, tabs } = rig
    const asked: string[] = []
    const client = await rig.connect(era, async (message, count) => {
      asked.push(message)
      if (count > 1) return "decline"
      await other.bringToFront()
      await tabs(inFront("other"))
      await answersAs(client, "other")
      return "accept"
    })
    await client.until((names) => names.includes("board__wipe"))
    await rig.answersAs(client, "one")

    const answer = await client.call("board__wipe")

    expect(answer).toContain("isError")
    expect([await cardsOf(one), await cardsOf(other)]).toEqual([["tea"], ["milk"]])
    expect(asked[0]).toContain(`The page "${rig.origin}" asks, in its own words:\n> In "one": Delete this board?`)
  })

  it("about the board in a tab that then shows another board, loses neither", async () => {
    rig = await startRig()
    const tab = await rig.open("?title=A&card=tea")
    const client = await rig.connect(era, async (_message, count) => {
      if (count > 1) return "decline"
      await tab.goto(tab.url().replace("title=A&card=tea", "title=C&card=milk"))
      await connected(tab)
      return "accept"
    })
    await client.until((names) => names.includes("board__wipe"))

    const answer = await client.call("board__wipe")

    expect(answer).toContain("isError")
    expect(await cardsOf(tab)).toEqual(["milk"])
  })

  it("about a board that stays, is asked once, and the board is deleted", async () => {
    rig = await startRig()
    const tab = await rig.open("?card=tea")
    let asked = 0
    const client = await rig.connect(era, async (_message, count) => {
      asked = count
      return "accept"
    })
    await client.until((names) => names.includes("board__wipe"))

    const answer = await client.call("board__wipe")

    expect(answer).not.toContain("isError")
    expect([asked, await cardsOf(tab)]).toEqual([1, []])
  })
})
