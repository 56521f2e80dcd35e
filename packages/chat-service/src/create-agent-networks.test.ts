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

/** Serves agents behind an adapter. */
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
  it("has one tool per agent, with the agent's name", async () => {
    const { tools, say } = serve({ hello_world: agent(() => "Hails there"), airline: agent(() => "Seat 9") })

    expect(await tools()).toEqual(["airline", "hello_world"])
    expect(await say("hello_world", "hello")).toEqual(text("Hails there"))
  })

  it("follows added and removed agents, and keeps unchanged tools", async () => {
    const [first, second] = [agent(() => "1"), agent(() => "2")]
    const { tools, become } = serve({ first })
    expect(await tools()).toEqual(["first"])

    const appeared = await become({ first, second })
    const vanished = await become({ second })

    expect(appeared).toMatchObject({ appeared: [{ name: "second" }], vanished: [], redefined: [] })
    expect(vanished).toMatchObject({ appeared: [], vanished: [{ name: "first" }], redefined: [] })
    expect(await tools()).toEqual(["second"])
  })

  it("reports a replacement only if another agent has taken a name", async () => {
    const [first, second] = [agent(() => "1"), agent(() => "2")]
    const { become } = serve({ first })
    const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name)

    const joined = await become({ first, second })
    const replaced = await become({ first: agent(() => "3"), second })

    expect([names(joined.replaced), names(joined.appeared)]).toEqual([[], ["second"]])
    expect(names(replaced.replaced)).toContain("first")
  })

  it("completes a call whose agent is removed meanwhile", async () => {
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

  describe("of which one is changed during a conversation", () => {
    const count: Respond = ({ messages }) => String(messages.length)
    const kept = (options: Partial<AgentNetwork> = {}) => agent(count, { conversation: "kept", ...options })
    const converse = async (before: AgentNetwork, after: AgentNetwork) => {
      const { adapter, become } = serve({ first: before })
      const outcomeOf = async (args: object) => {
        const answer = await adapter.call("first", { input: "hello", ...args })
        return answer.kind === "settled" ? answer.outcome : answer
      }
      const { value } = JSON.parse(JSON.stringify(await outcomeOf({})))
      const changed = await become({ first: after })
      return {
        changed,
        conversation: value.conversation,
        outcome: await outcomeOf({ conversation: value.conversation }),
      }
    }

    it("continues if the author gave both the same id", async () => {
      const after = kept({ id: "one", description: "Answers better" })
      const { changed, conversation, outcome } = await converse(kept({ id: "one" }), after)

      expect(outcome).toMatchObject({ ok: true, value: { text: "3", conversation } })
      expect(changed).toMatchObject({ redefined: [{ name: "first" }], replaced: [] })
    })

    it.each([
      ["no id", {}, { description: "Answers better" }],
      ["another id", { id: "one" }, { id: "two", description: "Answers better" }],
      ["an id of late", {}, { id: "one", description: "Answers better" }],
    ])("tells the new agent nothing if it has %s", async (_case, before, after) => {
      const { outcome } = await converse(kept(before), kept(after))

      expect(outcome).toMatchObject({ ok: false, code: "unknown_conversation" })
    })
  })

  it.each([
    ["one", ["a-b", "a_b"]],
    ["the other", ["a_b", "a-b"]],
  ])("distinguishes names that hosts treat as equal, in %s order", async (_name, names) => {
    const { tools } = serve(Object.fromEntries(names.map((name) => [name, agent(() => name)])))

    expect(await tools()).toEqual(["a-b", "agents__a_b"])
  })

  it("replaces an invalid tool name, and lists the agent's name as the title", async () => {
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
  ])("leaves out an invalid agent, %s, and serves the rest", async (_name, broken) => {
    // Untyped code may pass this.
    const { tools, diagnostics } = serve({ broken: broken as AgentNetwork, good: agent(() => "yes") })

    expect(await tools()).toEqual(["good"])
    expect(diagnostics).toMatchObject([{ path: ["agents"], key: "broken" }])
  })

  it("accepts a map", async () => {
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

  it("get the complete answer, even of an agent that is not a tool, and pass on only what they give", async () => {
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

  it("are reported to a client that wants all events", async () => {
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

  it("get back the sly data that the other agent returns", async () => {
    const slyData = { type: "slyData", slyData: { seat: "9A", login: "hunter2" } } as const
    const { adapter } = serve({
      front: agent(async (_, { ask }) => JSON.stringify((await ask("back", { messages: "?" })).slyData)),
      back: agent(() => ["here", slyData], { slyDataBack: ["seat"] }),
    })

    expect(await adapter.call("front", { input: "?" })).toMatchObject({
      outcome: { content: [{ type: "text", text: '{"seat":"9A"}' }] },
    })
  })

  it("get an error if one would wait for itself", async () => {
    const { say } = serve({ a: agent(pass("b")), b: agent(pass("c")), c: agent(pass("a")) })

    expect(await say("a", "hello")).toMatchObject({
      ok: false,
      code: "loop",
      message: 'agent "a" is waiting for this answer: a → b → c → a',
    })
  })

  it("get an error if too many wait for each other", async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`a${index}`, agent(pass(`a${index + 1}`))] as const),
    )
    const { say } = serve(chain, { asking: { depth: 3 } })

    expect(await say("a0", "hello")).toMatchObject({ ok: false, code: "too_deep" })
  })

  it("get an error if they have asked too often for one request", async () => {
    const curious: Respond = async (_request, { ask }) => {
      for (let count = 0; count < 10; count += 1) await ask("b", { messages: "and?" })
      return "done"
    }
    const { say } = serve({ a: agent(curious), b: agent(() => "well") }, { asking: { questions: 9 } })

    expect(await say("a", "hello")).toMatchObject({ ok: false, code: "too_many" })
  })

  it("get an error for an unknown agent, with the known names", async () => {
    const { say } = serve({ a: agent(pass("b")) })

    expect(await say("a", "hello")).toMatchObject({ ok: false, code: "not_available", recovery: 'ask one of "a"' })
  })

  it("may continue if another fails", async () => {
    const careful: Respond = async (_request, { ask }) => {
      const answer = await ask("b", { messages: "hello" }).catch((error: Error) => ({
        text: `sadly, ${error.message}`,
      }))
      return answer.text
    }
    const { say } = serve({ a: agent(careful) })

    expect(await say("a", "hello")).toEqual(text('sadly, no agent "b" exists now'))
  })

  it("stop when the first agent's caller gives up", async () => {
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
