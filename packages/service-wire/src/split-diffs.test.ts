import { action, createAgenticService, state } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

/** Creates 40 states of 20,000 characters: more than fits into one frame. */
function createMuch() {
  const values = Array.from({ length: 40 }, (_, index) => new BehaviorSubject(`${index}`.padEnd(20_000, "x")))
  const states = Object.fromEntries(
    values.map((value, index) => [`s${index}`, state({ schema: { type: "string" }, value })]),
  )
  const changeAll = (mark: string): void => {
    for (const [index, value] of values.entries()) value.next(`${index}${mark}`.padEnd(20_000, "x"))
  }
  const change = action({ description: "Change everything", execute: () => changeAll("y") })
  return { service: createAgenticService({ name: "much", states, actions: { change } }), changeAll }
}

const isDiff = (frame: string): boolean => frame.startsWith('{"t":"diff"')
const endOfTask = () => new Promise((resolve) => setImmediate(resolve))

function connect() {
  const much = createMuch()
  const pair = createChannelPair()
  offerService(much.service, pair.near)
  const mirror = mirrorService(pair.far)
  const diffs = () => pair.sent.filter(({ from, frame }) => from === "near" && isDiff(frame)).map(({ frame }) => frame)
  const live = firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
  const textOf = async (key: string) => String((await firstValueFrom(mirror.states))[key]?.value).replace(/x+$/, "")
  return { ...much, ...pair, mirror, diffs, live, textOf }
}

describe("a snapshot that does not fit into one frame", () => {
  it("is sent in several, of which only the last marks it as complete", async () => {
    const { mirror, diffs, live } = connect()
    await live

    const frames = diffs()
    expect(frames.length).toBeGreaterThan(2)
    expect(frames.every(({ length }) => length < 300_000)).toBe(true)
    expect(frames.map((frame) => frame.includes('"live":true'))).toEqual(
      frames.map((_, index) => index === frames.length - 1),
    )
    expect(Object.keys(await firstValueFrom(mirror.states))).toHaveLength(40)
  })

  it("shows nothing before all of it has arrived", async () => {
    const { mirror, diffs, hold, release, live } = connect()
    const seen: number[] = []
    const watching = mirror.states.subscribe((states) => seen.push(Object.keys(states).length))
    while (diffs().length === 0) await endOfTask()
    hold("far")
    await endOfTask()
    release("far")
    await live
    watching.unsubscribe()

    expect(seen.filter((count) => count !== 0 && count !== 40)).toEqual([])
  })

  it("waits for an acknowledgement before each frame", async () => {
    const { diffs, hold, release, live } = connect()
    hold("far")
    for (let times = 0; times < 10; times += 1) await endOfTask()
    const unread = diffs().length
    release("far")
    await live

    expect(unread).toBeLessThanOrEqual(1)
  })

  it("has the newest values, whatever changed between its frames", async () => {
    const { changeAll, diffs, hold, release, live, mirror, textOf } = connect()
    await live
    const before = diffs().length
    hold("far")
    changeAll("a")
    await endOfTask()
    changeAll("b")
    release("far")
    while ((await textOf("s0")) !== "0b" || (await textOf("s39")) !== "39b") await endOfTask()

    const texts = await Promise.all(Array.from({ length: 40 }, (_, index) => textOf(`s${index}`)))
    expect(texts).toEqual(Array.from({ length: 40 }, (_, index) => `${index}b`))
    expect(diffs().length - before).toBeGreaterThan(2)
    mirror.close()
  })

  it("arrives complete before the result of the call that caused it", async () => {
    const { mirror, live, textOf } = connect()
    await live

    const outcome = await mirror.execute("change", undefined)

    expect(outcome).toEqual({ ok: true })
    expect([await textOf("s0"), await textOf("s20"), await textOf("s39")]).toEqual(["0y", "20y", "39y"])
  })
})
