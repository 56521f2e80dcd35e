import type { ExecuteContext, LogLevel, Progress, Reply } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import type { Era } from "./servers.js"
import { startWitness, type Way } from "./witness.js"

/** Creates a caller that records every message it hears. */
function createCaller(who: string) {
  const abort = new AbortController()
  const heard: string[] = []
  const context: ExecuteContext = {
    signal: abort.signal,
    answers: {},
    progress: ({ message }: Progress) => heard.push(`progress: ${message}`),
    log: (_: LogLevel, data: unknown) => heard.push(`log: ${String(data)}`),
    principal: { id: who },
  }
  return { who, abort, heard, context }
}

function questionOf(reply: Reply): string {
  return reply.ok === "ask"
    ? Object.values(reply.questions)
        .map(({ message }) => message)
        .join()
    : JSON.stringify(reply)
}

async function answer(reply: Reply, pin: string, context: ExecuteContext): Promise<Reply> {
  if (reply.ok !== "ask") return reply
  return reply.resume(Object.fromEntries(Object.keys(reply.questions).map((key) => [key, { pin }])), context)
}

describe.each<[Way, Era]>([
  ["http", "legacy"],
  ["http", "modern"],
])("what a server says over %s in the %s era", (way, era) => {
  it("reaches the call it belongs to, however many run", async () => {
    const { server, until } = await startWitness({ way, era })
    const callers = ["ann", "bob", "cid"].map(createCaller)

    const replies = await Promise.all(callers.map(({ who, context }) => server.execute("ask", { who }, context)))
    const asked = replies.map(questionOf)
    const ends = await Promise.all(
      replies.map((reply, index) =>
        answer(reply, `pin of ${callers[index]?.who}`, callers[index]?.context as ExecuteContext),
      ),
    )

    for (const [index, { who, heard }] of callers.entries()) {
      expect(asked[index]).toBe(`The server "bank" asks, in its own words:\n> PIN of ${who}?`)
      expect(await until((entry) => entry["answered"] === who)).toMatchObject({ pin: `pin of ${who}` })
      expect(JSON.stringify(ends[index])).toContain(`pin of ${who}`)
      expect(new Set(heard)).toEqual(new Set([`progress: begun ${who}`, `log: begun ${who}`]))
    }
  })
})

describe.each<[Way, Era, { ownConnection?: boolean }]>([
  ["stdio", "legacy", {}],
  ["stdio", "legacy", { ownConnection: true }],
  ["http", "legacy", {}],
  ["http", "legacy", { ownConnection: true }],
])("a call over %s in the %s era that goes on after it was cancelled (%j)", (way, era, options) => {
  it("is sent to no client", async () => {
    const { server, until } = await startWitness({ way, era }, options)
    const [ann, bob] = [createCaller("ann"), createCaller("bob")]

    const cancelled = server.execute("linger", { who: "ann" }, ann.context)
    await until((entry) => entry["lingers"] === "ann")
    const bobs = server.execute("hold", { who: "bob" }, bob.context)
    await until((entry) => entry["holds"] === "bob")
    ann.abort.abort()
    const late = options.ownConnection ? undefined : await until((entry) => entry["late"] === "ann")
    await cancelled
    // A call on its own connection has ended by now.
    if (!options.ownConnection) await server.execute("release", { who: "bob" }, createCaller("release").context)

    expect(await cancelled).toMatchObject({ ok: false, code: "aborted" })
    expect(late?.["action"]).not.toBe("accept")
    if (!options.ownConnection) expect(await bobs).toMatchObject({ ok: true })
    expect([ann.heard, bob.heard]).toEqual([[], []])
  })
})

describe("a command of the legacy era with connections of their own for calls", () => {
  it("asks each caller its own question, however many run", async () => {
    const { server, until } = await startWitness({ way: "stdio", era: "legacy" }, { ownConnection: true })
    const callers = ["ann", "bob", "cid"].map(createCaller)

    const replies = await Promise.all(callers.map(({ who, context }) => server.execute("ask", { who }, context)))

    for (const [index, { who, context }] of callers.entries()) {
      const reply = replies[index] as Reply
      expect(questionOf(reply)).toContain(`> PIN of ${who}?`)
      await answer(reply, `pin of ${who}`, context)
      expect(await until((entry) => entry["answered"] === who)).toMatchObject({ pin: `pin of ${who}` })
    }
    await server.close()
    expect(server.holdings()).toEqual({ connections: 0, children: 0, timers: 0, calls: 0 })
  })
})
