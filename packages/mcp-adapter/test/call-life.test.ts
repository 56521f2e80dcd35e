import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Era } from "./support/connect.js"
import { type ConnectedLab, connectLab } from "./support/connect-lab.js"

const eras: readonly Era[] = ["legacy", "modern"]
const legs = Object.entries(connectLab).flatMap(([transport, connect]) =>
  eras.map((era) => ({ leg: `${transport}, ${era}`, connect: connect.bind(undefined, era) })),
)

describe.each(legs)("a call's life over $leg", ({ connect }) => {
  // All tests share one connection, because a child process starts slowly.
  let lab: ConnectedLab
  beforeAll(async () => {
    lab = await connect({})
  })
  afterAll(async () => {
    expect([await lab.close(), lab.errors]).toEqual([{ stuck: 1 }, []])
  })

  it("ends with the action's result", async () => {
    expect(await call(lab, "quick")).toEqual(success("done"))
    await lab.told("settled quick")
  })

  it.each(["fail", "reject"])("ends when the action throws, without its words: %s", async (name) => {
    const text: unknown = expect.stringMatching(/^action failed \(\S+\)$/)

    expect(await call(lab, name)).toEqual({ text, failed: true })
  })

  it.each([
    ["obey", "settled obey aborted"],
    ["finish", "settled finish"],
  ])("ends for a caller who gives it up when the action stops: %s", async (name, settled) => {
    const { answer, giveUp } = begin(lab, name)
    await lab.told(`ran ${name}`)

    giveUp()

    await lab.told(`stop ${name}`)
    await lab.told(settled)
    await expect(answer).rejects.toThrow()
  })

  it("continues after its caller's cancellation when the action does not stop", async () => {
    const { answer, giveUp } = begin(lab, "ignore")
    await lab.told("ran ignore")
    giveUp()
    await lab.told("stop ignore")

    await pass(lab, 5_000)
    await lab.told("stuck ignore")
    await lab.told("settled ignore aborted")
    await call(lab, "release")

    await lab.told("late ignore")
    await expect(answer).rejects.toThrow()
  })

  it.each([
    ["obey", failure("within 60 s")],
    ["finish", success("finished")],
  ])("ends when its time is up and the action stops: %s", async (name, expected) => {
    const answer = call(lab, name)
    await lab.told(`ran ${name}`)

    await pass(lab, 60_000)

    expect(await answer).toEqual(expected)
  })

  it.each(["ignore", "never"])("ends when its time is up and the action does not stop: %s", async (name) => {
    const answer = call(lab, name)
    await lab.told(`ran ${name}`)
    await pass(lab, 60_000)
    await lab.told(`stop ${name}`)

    await pass(lab, 5_000)

    expect(await answer).toEqual(failure("(timed_out)"))
    await lab.told(`stuck ${name}`)
    await call(lab, "release")
    if (name === "ignore") await lab.told("late ignore")
  })

  it("is kept alive by the action's own progress, not by signs of life between", async () => {
    const heard: number[] = []
    const answer = call(lab, "report", { onprogress: ({ progress }) => heard.push(progress) })
    await lab.told("ran report")
    await call(lab, "step", { args: { n: 1 } })
    await pass(lab, 29_999)
    await call(lab, "step", { args: { n: 2 } })
    await pass(lab, 29_999)
    const stopped = lab.lines.includes("stop report")

    await pass(lab, 1)

    expect(await answer).toEqual(failure("no progress for 30 s"))
    expect(stopped).toBe(false)
    // Progress 2 and the sign of life within 100 ms of it are merged.
    expect(heard).toEqual([1, expect.closeTo(1), expect.closeTo(2)])
    expect(heard).toEqual([...new Set(heard)].sort((a, b) => a - b))
  })

  it("continues when its action is hidden", async () => {
    const answer = call(lab, "shy")
    await lab.told("ran shy")
    await call(lab, "hide")

    const refused = await call(lab, "shy")
    await call(lab, "release")

    expect([refused, await answer]).toEqual([failure("(not_available)"), success("drained")])
  })
})

describe.each(legs)("a call's life under other limits, over $leg", ({ connect }) => {
  let lab: ConnectedLab
  beforeAll(async () => {
    lab = await connect({ running: 2, waiting: 1, hidden: "abort" })
  })
  afterAll(async () => {
    expect([await lab.close(), lab.errors]).toEqual([{}, []])
  })

  it("ends when its action is hidden, with `hidden: abort`", async () => {
    const answer = call(lab, "shy")
    await lab.told("ran shy")

    await call(lab, "hide")

    expect(await answer).toEqual(failure("it is no longer available"))
    await call(lab, "show")
  })

  it("waits in a queue, can be cancelled there, and is rejected when the queue is full", async () => {
    const running = [begin(lab, "obey"), begin(lab, "obey")]
    await lab.told("ran obey")
    await lab.told("ran obey")
    const impatient = begin(lab, "quick")
    await lab.told("started quick")
    const refused = await call(lab, "quick")
    await lab.told("settled quick busy")
    impatient.giveUp()
    await lab.told("settled quick aborted")
    const ranBefore = lab.lines.includes("ran quick")
    const patient = call(lab, "quick")

    running[0]?.giveUp()

    expect(refused).toEqual(failure("(busy)"))
    expect(ranBefore).toBe(false)
    expect(await patient).toEqual(success("done"))
    running[1]?.giveUp()
    await Promise.all([...running, impatient].map(({ answer }) => expect(answer).rejects.toThrow()))
  })
})

const success = (result: string) => ({ text: JSON.stringify({ result }), failed: false })
const failure = (words: string) => ({ text: expect.stringContaining(words) as unknown, failed: true }) // `any` in Vitest.

interface Options {
  readonly args?: Record<string, unknown>
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number }) => void
}

async function call({ client }: ConnectedLab, name: string, { args = {}, ...options }: Options = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: args }, options)
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("")
  return { text, failed: isError }
}

/** Advances the lab's clock. */
async function pass(lab: ConnectedLab, milliseconds: number): Promise<void> {
  await call(lab, "advance", { args: { n: milliseconds } })
  await lab.told("time passed")
}

/** Starts a call that its caller can cancel. */
function begin(lab: ConnectedLab, name: string) {
  const caller = new AbortController()
  const answer = call(lab, name, { signal: caller.signal })
  // The test awaits it later.
  answer.catch(() => {})
  return { answer, giveUp: () => caller.abort(new Error("given up")) }
}
