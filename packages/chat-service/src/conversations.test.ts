import { describe, expect, it } from "vitest"
import { type ChatMessage, defaultConversationLimits } from "./chat-options.js"
import { createConversations } from "./conversations.js"

function turn(content: string): readonly ChatMessage[] {
  return [
    { role: "user", content },
    { role: "assistant", content },
  ]
}

/** Creates conversations with a manual clock. */
function keep(limits: Partial<typeof defaultConversationLimits> = {}) {
  let time = 1
  const conversations = createConversations({ ...defaultConversationLimits, ...limits }, () => time)
  const begin = (content = "hello", owner?: string): string => {
    const conversation = conversations.open(undefined, owner)
    conversation?.add(turn(content))
    return conversation?.handle ?? ""
  }
  return {
    ...conversations,
    begin,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

describe("createConversations", () => {
  it("drops the least recently used one beyond the limit", () => {
    const { begin, open, size } = keep({ max: 2 })
    const [first, second] = [begin(), begin()]
    open(first, undefined)
    const third = begin()

    expect([first, second, third].map((handle) => open(handle, undefined) !== undefined)).toEqual([true, false, true])
    expect(size()).toBe(2)
  })

  it("drops conversations of the principal with the most", () => {
    const { begin, open, size } = keep({ max: 5, perPrincipal: 4 })
    const anns = [begin("a", "ann"), begin("a", "ann")]
    for (let count = 0; count < 1_000; count += 1) begin("b", "bob")

    expect(anns.every((handle) => open(handle, "ann") !== undefined)).toBe(true)
    expect(size()).toBe(5)
  })

  it("limits the conversations of each principal", () => {
    const { begin, size } = keep({ perPrincipal: 2 })
    for (const owner of ["ann", "bob", undefined]) for (const word of ["a", "b", "c"]) begin(word, owner)

    expect(size()).toBe(6)
  })

  it("drops conversations that have been idle too long since their last use", () => {
    const { begin, open, size, pass } = keep({ idleMs: 100 })
    const [used, unused] = [begin(), begin()]
    pass(60)
    open(used, undefined)
    pass(60)

    expect(open(unused, undefined)).toBeUndefined()
    expect(open(used, undefined)).toBeDefined()
    expect(size()).toBe(1)
  })

  it("is not kept alive by another caller", () => {
    const { begin, open, pass } = keep({ idleMs: 100 })
    const handle = begin()
    pass(60)
    open(handle, "bob")
    pass(60)

    expect(open(handle, undefined)).toBeUndefined()
  })

  it("does not keep a conversation without a turn", () => {
    const { open, size } = keep()

    expect(open(undefined, undefined)).toMatchObject({ messages: [] })
    expect(size()).toBe(0)
  })

  it.each([
    ["messages", { messages: 4 }],
    ["characters", { characters: 9 }],
  ])("drops the oldest turns beyond its %s", (_name, limits) => {
    const { begin, open } = keep(limits)
    const handle = begin("a")
    for (const content of ["bb", "cc"]) open(handle, undefined)?.add(turn(content))

    expect(open(handle, undefined)?.messages).toEqual([...turn("bb"), ...turn("cc")])
  })

  it("drops a turn that is too long by itself, and continues", () => {
    const { begin, open } = keep({ characters: 10 })

    expect(open(begin("a long question"), undefined)?.messages).toEqual([])
  })
})
