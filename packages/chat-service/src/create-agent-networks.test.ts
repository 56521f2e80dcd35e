import type { ExecuteContext } from "@x/agentic-service"
import { type AdapterEvent, createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject, filter, firstValueFrom, of } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import type { AgentContext, AgentNetwork } from "./agent-network.js"
import { type AgentNetworksOptions, createAgentNetworks } from "./create-agent-networks.js"

type Networks = Readonly<Record<string, AgentNetwork>>
type Respond = AgentNetwork["respond"]

const agent = (respond: Respond, options: Partial<AgentNetwork> = {}): AgentNetwork =>
  ({ description: "Answers", input: "text", respond, ...options }) as AgentNetwork // only the tests mix forms

/** Agents that come and go behind an adapter, and how they are asked. */
function serve(networks: Networks, options: Partial<AgentNetworksOptions> = {}) {
  const networks$ = new BehaviorSubject(networks)
  const adapter = createMcpAdapter(createAgentNetworks({ name: "hive", networks$, ...options }))
  onTestFinished(adapter.close)
  const diagnostics: unknown[] = []
  adapter.events.subscribe((event: AdapterEvent) => {
    if (event.type === "diagnostic") diagnostics.push(event.diagnostic)
  })
  return {
    adapter,
    diagnostics,
    become: async (next: Networks) => {
      const changed = firstValueFrom(adapter.events.pipe(filter((event) => event.type === "changed")))
      networks$.next(next)
      return (await changed).diff.tools
    },
    tools: async () => (await adapter.list()).tools.map(({ name }) => name),
    say: async (name: string, text: string, context: Partial<ExecuteContext> = {}) => {
      const answer = await adapter.call(name, { input: text }, context)
      return answer.kind === "settled" ? answer.outcome : answer
    },
  }
}

const text = (text: string) => ({ ok: true, content: [{ type: "text", text }] })

describe("createAgentNetworks", () => {
  it("has one tool for each agent, named as it is", async () => {
    const { tools, say } = serve({ hello_world: agent(() => "Hails there"), airline: agent(() => "Seat 9") })

    expect(await tools()).toEqual(["airline", "hello_world"])
    expect(await say("hello_world", "hello")).toEqual(text("Hails there"))
  })

  it("follows the agents as they come and go, keeping what has not changed", async () => {
    const [first, second] = [agent(() => "1"), agent(() => "2")]
    const { tools, become } = serve({ first })
    expect(await tools()).toEqual(["first"])

    const appeared = await become({ first, second })
    const vanished = await become({ second })

    expect(appeared).toMatchObject({ appeared: [{ name: "second" }], vanished: [], redefined: [] })
    expect(vanished).toMatchObject({ appeared: [], vanished: [{ name: "first" }], redefined: [] })
    expect(await tools()).toEqual(["second"])
  })

  it("tells of what has been replaced only where another agent has taken a name", async () => {
    const [first, second] = [agent(() => "1"), agent(() => "2")]
    const { become } = serve({ first })
    const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

    const joined = await become({ first, second })
    const replaced = await become({ first: agent(() => "3"), second })

    expect([names(joined.replaced), names(joined.appeared)]).toEqual([[], ["second"]])
    expect(names(replaced.replaced)).toContain("first")
  })

  it("lets a call end whose agent goes while it runs", async () => {
    const done = new BehaviorSubject("")
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const respond: Respond = () => {
      begin()
      return done
    }
    const { say, become } = serve({ first: agent(respond), second: agent(() => "2") })
    const outcome = say("first", "hello")
    await begun

    await become({ second: agent(() => "2") })
    done.next("late")
    done.complete()

    expect(await outcome).toEqual(text("late"))
  })

  it("goes on with the conversations of an agent that has changed", async () => {
    const count: Respond = ({ messages }) => String(messages.length)
    const { adapter, become } = serve({ first: agent(count, { conversation: "kept" }) })
    const value = async (args: object) => {
      const answer = await adapter.call("first", { input: "hello", ...args })
      return JSON.parse(JSON.stringify(answer.kind === "settled" && answer.outcome.ok && answer.outcome.value))
    }
    const { conversation } = await value({})

    await become({ first: agent(count, { conversation: "kept", description: "Answers better" }) })

    expect(await value({ conversation })).toEqual({ text: "3", conversation })
  })

  it.each([
    ["one", ["a-b", "a_b"]],
    ["the other", ["a_b", "a-b"]],
  ])("keeps the names apart that hosts take for one, in %s order", async (_name, names) => {
    const { tools } = serve(Object.fromEntries(names.map((name) => [name, agent(() => name)])))

    expect(await tools()).toEqual(["a-b", "agents__a_b"])
  })

  it("makes a name for what is no tool's name, and lists the agent's own as title", async () => {
    const { adapter } = serve({ "industry/airline policy": agent(() => "Seat 9") })

    const [tool] = (await adapter.list()).tools

    expect(tool?.name).toMatch(/^[A-Za-z0-9_]{1,40}$/)
    expect(tool?.definition.title).toBe("industry/airline policy")
  })

  it.each<[string, unknown]>([
    ["no description", { respond: () => "" }],
    ["null", null],
    ["a misspelt option", { description: "Answers", respond: () => "", inptu: "text" }],
    ["an impossible limit", { description: "Answers", respond: () => "", conversations: { idleMs: -1 } }],
  ])("leaves out an agent that is broken, %s, and serves the rest", async (_name, broken) => {
    // As code without types may have it.
    const { tools, diagnostics } = serve({ broken: broken as AgentNetwork, good: agent(() => "yes") })

    expect(await tools()).toEqual(["good"])
    expect(diagnostics).toMatchObject([{ path: ["agents"], key: "broken" }])
  })

  it("takes a map", async () => {
    const { tools } = serve({}, { networks$: of(new Map([["first", agent(() => "1")]])) })

    expect(await tools()).toEqual(["first"])
  })
})

describe("agents that ask each other", () => {
  const pass = (name: string): Respond =>
    async function* ({ text, slyData }, { ask }) {
      yield `${Object.keys(slyData).length} `
      const { text: answer, extras } = await ask(name, { messages: text })
      yield answer
      yield* extras
    }

  it("get the whole answer, also of one that is no tool, and hand on only what they give", async () => {
    const back = agent(({ text, messages, slyData }) => [
      `${text} ${messages.length} ${Object.keys(slyData).length}`,
      { type: "source", uri: "https://example.com/" },
    ])
    const { tools, adapter } = serve({
      front: agent(pass("back"), { input: "neuro-san" }),
      back: { ...back, public: false },
    })

    const args = { user_message: { text: "hello" }, sly_data: { token: "hunter2" } }
    expect(await tools()).toEqual(["front"])
    expect(await adapter.call("front", args)).toMatchObject({
      outcome: {
        content: [
          { type: "text", text: "1 hello 1 0" },
          { type: "resource_link", uri: "https://example.com/" },
        ],
      },
    })
  })

  it("are heard by a client that wants to hear everything", async () => {
    const { adapter } = serve({
      front: agent(pass("middle"), { input: "neuro-san" }),
      middle: agent(pass("back")),
      back: agent((_, { tell }) => {
        tell({ kind: "progress", text: "looking" })
        return "9A"
      }),
    })
    const heardWith = async (chat_filter_type: string): Promise<string> => {
      const heard: string[] = []
      const args = { user_message: { text: "hello" }, chat_filter: { chat_filter_type } }
      await adapter.call("front", args, { progress: ({ text = "" }) => heard.push(text) })
      return heard.join("")
    }

    expect(await heardWith("MINIMAL")).toBe("")
    expect(await heardWith("MAXIMAL")).toBe("0 \nmiddle/back: looking\n\nmiddle/back: 9A\n\nmiddle: 0 9A\n0 9A")
  })

  it("get back of another's sly data what that one allows", async () => {
    const slyData = { type: "slyData", slyData: { seat: "9A", login: "hunter2" } } as const
    const { adapter } = serve({
      front: agent(async (_, { ask }) => JSON.stringify((await ask("back", { messages: "?" })).slyData)),
      back: agent(() => ["here", slyData], { slyDataBack: ["seat"] }),
    })

    expect(await adapter.call("front", { input: "?" })).toMatchObject({
      outcome: { content: [{ type: "text", text: '{"seat":"9A"}' }] },
    })
  })

  it("are told when one would wait for itself", async () => {
    const { say } = serve({ a: agent(pass("b")), b: agent(pass("c")), c: agent(pass("a")) })

    expect(await say("a", "hello")).toMatchObject({
      ok: false,
      code: "loop",
      message: 'the agent "a" waits for this answer: a → b → c → a',
    })
  })

  it("are told when too many wait for each other", async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`a${index}`, agent(pass(`a${index + 1}`))] as const),
    )
    const { say } = serve(chain, { asking: { depth: 3 } })

    expect(await say("a0", "hello")).toMatchObject({ ok: false, code: "too_deep" })
  })

  it("are told when they have asked too often for one request", async () => {
    const curious: Respond = async (_request, { ask }) => {
      for (let count = 0; count < 10; count += 1) await ask("b", { messages: "and?" })
      return "done"
    }
    const { say } = serve({ a: agent(curious), b: agent(() => "well") }, { asking: { questions: 9 } })

    expect(await say("a", "hello")).toMatchObject({ ok: false, code: "too_many" })
  })

  it("are told when there is no such agent, and who there is", async () => {
    const { say } = serve({ a: agent(pass("b")) })

    expect(await say("a", "hello")).toMatchObject({ ok: false, code: "not_available", recovery: 'ask one of "a"' })
  })

  it("may go on where another fails", async () => {
    const careful: Respond = async (_request, { ask }) => {
      const answer = await ask("b", { messages: "hello" }).catch((error: Error) => ({
        text: `sadly, ${error.message}`,
      }))
      return answer.text
    }
    const { say } = serve({ a: agent(careful) })

    expect(await say("a", "hello")).toEqual(text('sadly, there is no agent "b" now'))
  })

  it("stop when the caller of the first gives up", async () => {
    const controller = new AbortController()
    let heard: AbortSignal | undefined
    const wait: Respond = (_request, { signal }: AgentContext) => {
      heard = signal
      controller.abort()
      return new BehaviorSubject("never ends")
    }
    const { say } = serve({ a: agent(pass("b")), b: agent(wait) })

    expect(await say("a", "hello", { signal: controller.signal })).toMatchObject({ ok: false })
    expect(heard?.aborted).toBe(true)
  })
})
