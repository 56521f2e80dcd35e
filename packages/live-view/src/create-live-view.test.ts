import { action, createAgenticService, fail, type LinkDeclaration, link, links, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createLiveView } from "./create-live-view.js"
import type { CallFrame, Frame } from "./frames/frame.js"
import { createPicture } from "./frames/picture.js"
import type { LiveViewOptions } from "./live-view-options.js"

/** Serves a switch whose lamp is readable while it is on, with further links. */
function serve(options: LiveViewOptions = { show: true }, further: Readonly<Record<string, LinkDeclaration>> = {}) {
  const on$ = new BehaviorSubject(false)
  const lamp = createAgenticService({
    name: "lamp",
    actions: { dim: action({ description: "Dims", execute: () => {} }) },
  })
  const service = createAgenticService({
    name: "room",
    states: { on: state({ description: "Whether it is on", schema: { type: "boolean" }, value: on$ }) },
    actions: {
      toggle: action({ description: "Turns it on or off", execute: () => on$.next(!on$.value) }),
      off: action({
        description: "Turns it off",
        when: { is: on$, otherwise: "it is off already" },
        execute: () => on$.next(false),
      }),
      name: action({
        description: "Names it",
        input: { type: "object", properties: { secret: { type: "string" } }, required: ["secret"] },
        execute: ({ secret }) => (secret === "" ? fail("too short") : { told: secret }),
      }),
      burn: action({
        description: "Burns it",
        destructive: true,
        confirm: () => "Burn it?",
        execute: () => on$.next(false),
      }),
    },
    links: { lamp: link({ description: "The lamp", service: lamp }), ...further },
  })
  const adapter = createMcpAdapter(service)
  const live = createLiveView(adapter, options)
  onTestFinished(() => live.close().finally(adapter.close))
  const ask = (path: string, init: RequestInit = {}, extra = {}) =>
    live.fetch(new Request(`http://localhost/live/${path}`, init), extra)
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" }
    return (await ask(path, { method: "POST", headers, body: JSON.stringify(body) })).json()
  }
  return { adapter, on$, ask, post, live }
}

/** Follows a live view's event stream. */
async function look({ ask }: Pick<ReturnType<typeof serve>, "ask">) {
  const frames: Frame[] = []
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const response = await ask("events", { signal: leaving.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const read = async (): Promise<void> => {
    for (let rest = ""; ; ) {
      const { done, value = "" } = (await reader?.read()) ?? { done: true }
      if (done) return
      const events = (rest + value).split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) if (event.startsWith("data: ")) frames.push(...JSON.parse(event.slice(6)))
    }
  }
  void read().catch(() => undefined)
  await vi.waitFor(() => expect(frames[0]?.type).toBe("start"))
  const picture = () => {
    const [start, ...rest] = frames
    if (start?.type !== "start") throw new Error("it does not begin with a start")
    const keeper = createPicture(start)
    for (const frame of rest) keeper.apply(frame)
    return keeper.picture
  }
  return { frames, picture }
}

describe("createLiveView", () => {
  it("begins with all members, and with the reasons of unavailable ones", async () => {
    const { picture } = await look(serve())
    const { tools, states, links, start } = picture()

    expect(tools.get("off")).toMatchObject({ available: false, reason: "it is off already" })
    expect(tools.get("burn")).toMatchObject({ available: true, hints: ["destructive"] })
    expect([...states.values()]).toMatchObject([{ name: "on", value: false }])
    expect([...links.values()]).toMatchObject([{ path: ["lamp"], service: "lamp" }])
    expect(start.builtIns.dynamic).toContain("run_action")
    expect(start.builtIns.meta).toContain("find_actions")
  })

  it("shows which actions of items are one tool in the exposure grouped, and what that list costs", async () => {
    const toRoom = () =>
      createAgenticService({
        name: "room",
        actions: { air: action({ description: "Air the room", execute: () => {} }) },
      })
    const rooms = links({ of: ["a", "b"], key: (id) => id, service: toRoom })
    const { post, ...site } = serve({ show: true }, { rooms })
    const { picture } = await look(site)

    expect(picture().start.builtIns.grouped).toEqual([
      { name: "rooms__air", actions: ["rooms__a__air", "rooms__b__air"] },
    ])
    const costs = await post("costs", {})
    expect(costs.grouped.tools).toBe(costs.dynamic.tools - 1)
    expect(await post("tool", { name: "rooms__air" })).toMatchObject({ definition: { name: "rooms__air" } })
  })

  it("reports added and removed members, and the changes of a call", async () => {
    const { adapter, ...site } = serve()
    const { picture } = await look(site)

    await adapter.call("toggle", {}, { client: "ann" })

    await vi.waitFor(() => expect(picture().tools.get("off")).toMatchObject({ available: true }))
    await vi.waitFor(() =>
      expect([...picture().calls.values()]).toMatchObject([
        { name: "toggle", client: "ann", status: "ok", changed: ["+off", "~on"] },
      ]),
    )
    expect([...picture().states.values()]).toMatchObject([{ value: true, changes: 1 }])
    await adapter.call("off")
    await vi.waitFor(() => expect(picture().tools.get("off")).toMatchObject({ reason: "it is off already" }))
  })

  it("reports each event with its time, in order", async () => {
    const room = serve()
    const { frames } = await look(room)
    await room.post("call", { name: "toggle" })
    await vi.waitFor(() => expect(frames.map(({ type }) => type)).toEqual(expect.arrayContaining(["call", "notice"])))
    await room.post("call", { name: "off" })
    await vi.waitFor(() => expect(frames.filter(({ type }) => type === "change").length).toBeGreaterThan(1))
    const times = frames.map(({ at }) => at)
    expect(times).toEqual([...times].sort((one, other) => one - other))
    const told = frames.map(({ type }) => type)
    expect(told.indexOf("change")).toBeLessThan(told.indexOf("notice"))
  })

  it("shows no application data by default", async () => {
    const { adapter, ...site } = serve({})
    const { frames, picture } = await look(site)

    await adapter.call("name", { secret: "hunter2" })
    await adapter.call("name", { secret: "" })
    await adapter.call("toggle")
    await vi.waitFor(() => expect(picture().tools.get("off")).toMatchObject({ available: true }))

    expect(JSON.stringify(frames)).not.toMatch(/hunter2|too short|"value"/)
    expect(await site.post("call", { name: "name", args: { secret: "hunter2" } })).toEqual({
      kind: "settled",
      ok: true,
      hidden: true,
    })
    expect(await site.post("state", { uri: "agentic://room/on" })).toHaveProperty("error")
  })

  it("shows only the configured arguments, results or values", async () => {
    const { adapter, ...site } = serve({ show: { arguments: true } })
    const { picture } = await look(site)
    await adapter.call("name", { secret: "s" })

    const calls = (): CallFrame[] => [...picture().calls.values()]
    await vi.waitFor(() => expect(calls()).toMatchObject([{ status: "ok", args: { secret: "s" } }]))
    expect(calls()[0]).not.toHaveProperty("result")
  })

  it("accepts calls, and answers to their questions", async () => {
    const { post, on$ } = serve()
    on$.next(true)

    const asked = await post("call", { name: "burn" })
    const [key = ""] = Object.keys(asked.questions)
    const content = Object.fromEntries(
      Object.keys(asked.questions[key].schema.properties ?? {}).map((name) => [name, true]),
    )
    const answered = await post("call", {
      name: "burn",
      requestState: asked.state,
      inputResponses: { [key]: { action: "accept", content } },
    })

    expect(asked).toMatchObject({ kind: "asked", questions: { [key]: { message: "Burn it?\n\nAction: burn" } } })
    expect(answered).toMatchObject({ ok: true })
    expect(on$.value).toBe(false)
  })

  it.each([
    [{ arguments: true }, ["Burn it?\n\nAction: burn"]],
    [{ results: true, values: true }, undefined],
  ])("shows the words of a question only where arguments are shown: %j", async (show, words) => {
    const { adapter, ...site } = serve({ show })
    const { picture } = await look(site)
    await adapter.call("burn", {}, { clientCapabilities: { elicitation: {} } })

    const calls = (): CallFrame[] => [...picture().calls.values()]
    await vi.waitFor(() => expect(calls()).toMatchObject([{ name: "burn", status: "asked" }]))
    expect(calls()[0]?.questions).toEqual(words)
  })

  it("accepts no calls if they are turned off", async () => {
    const { post, on$ } = serve({ calls: false })

    expect(await post("call", { name: "toggle" })).toHaveProperty("error")
    expect(on$.value).toBe(false)
  })

  it("returns a tool's definition for a profile, and the cost of each list", async () => {
    const { post } = serve()
    const tool = await post("tool", { name: "name", profile: "openai-strict" })
    const costs = await post("costs", { profile: "openai-strict" })

    expect(tool.definition.inputSchema).toMatchObject({ additionalProperties: false, required: ["secret"] })
    expect(tool.form.properties).toHaveProperty("secret")
    expect(costs.encoding).toBe("o200k_base")
    expect(costs.stable.tools).toBe(costs.dynamic.tools + 1)
    expect(costs.stable.tokens).toBeGreaterThan(costs.dynamic.tokens)
    expect(costs.dynamic.chars / costs.dynamic.tokens).toBeGreaterThan(2)
  })

  it.each([Number.NaN, -1, undefined, "7", Promise.resolve(7)])(
    "names `countTokens` if it returns %s",
    async (given) => {
      // Untyped code may return anything.
      const { adapter, ask, post } = serve({ countTokens: () => given as never })
      const told: string[] = []
      adapter.events.subscribe((event) => event.type === "diagnostic" && told.push(String(event.diagnostic.cause)))
      const headers = { "content-type": "application/json" }

      const response = await ask("costs", { method: "POST", headers, body: "{}" })

      expect(response.status).toBe(500)
      expect(told).toEqual([expect.stringContaining('"countTokens" returned')])
      expect(await post("tool", { name: "name" })).toHaveProperty("definition")
    },
  )

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("returns 404 for %s", async (name) => {
    const { live } = serve()

    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? "{}" : null
      const headers = { host: "localhost", "content-type": "application/json" }
      const answer = await live.fetch(new Request(`http://localhost/live/${name}`, { method, headers, body }))

      expect([method, answer.status]).toEqual([method, 404])
    }
  })

  it.each([
    ["cross-site", 403],
    ["same-site", 403],
    ["same-origin", 200],
    ["none", 200],
  ])("answers a browser that asks for its events from %s with %d", async (site, status) => {
    const { live } = serve()
    const leave = new AbortController()
    onTestFinished(() => leave.abort())

    const headers = { host: "localhost", "sec-fetch-site": site }
    const answer = await live.fetch(new Request("http://localhost/live/events", { headers, signal: leave.signal }))

    expect(answer.status).toBe(status)
  })

  it.each([
    { from: "another machine", headers: {}, extra: { remoteAddress: "192.168.1.7" }, status: 403 },
    {
      from: "a proxy",
      headers: { "x-forwarded-for": "192.168.1.7" },
      extra: { remoteAddress: "127.0.0.1" },
      status: 403,
    },
    ...["x-real-ip", "via", "forwarded", "true-client-ip"].map((name) => ({
      from: `a proxy that says so by ${name}`,
      headers: { [name]: "127.0.0.1" },
      extra: { remoteAddress: "127.0.0.1" },
      status: 403,
    })),
    { from: "a name of another page's", headers: { host: "evil.example" }, extra: {}, status: 403 },
    { from: "another page", headers: { origin: "https://evil.example" }, extra: {}, status: 403 },
    {
      from: "this machine",
      headers: { origin: "http://localhost:5173" },
      extra: { remoteAddress: "::1" },
      status: 200,
    },
  ])("answers what comes from $from with $status", async ({ headers, extra, status }) => {
    const { ask } = serve()
    const body = '{"name":"name"}'
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body }

    expect((await ask("tool", init, extra)).status).toBe(status)
  })

  it("limits the number of viewers", async () => {
    const site = serve({ maxViewers: 1 })
    await look(site)

    expect((await site.ask("events")).status).toBe(503)
  })

  it("rejects an unknown option", () => {
    expect(() => serve({ shows: true } as LiveViewOptions)).toThrow('there is no option "shows"')
  })

  it("reports a flood in few batches, and says what it left out", async () => {
    const { adapter, on$, ...site } = serve()
    const { frames, picture } = await look(site)
    const flood = Array.from({ length: 2_000 }, () => adapter.call("toggle"))
    await Promise.all(flood)

    await vi.waitFor(() => expect(picture().called).toBe(2_000))
    expect(picture().calls.size).toBeLessThanOrEqual(500)
    expect(frames.length).toBeLessThan(600)
    expect(picture().tools.get("off")?.available).toBe(on$.value)
  })

  it("sends the complete state to later viewers, however large it is", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_201 }, (_, index) => [`act${index}`, action({ description: "Acts", execute: () => {} })]),
    )
    const adapter = createMcpAdapter(createAgenticService({ name: "many", actions: many }))
    const live = createLiveView(adapter)
    onTestFinished(() => live.close().finally(adapter.close))
    const { frames, picture } = await look({
      ask: (path, init) => live.fetch(new Request(`http://localhost/live/${path}`, init)),
    })

    await vi.waitFor(() => expect(picture().tools.size).toBe(1_201))
    expect(frames).toHaveLength(3)
  })

  it("releases everything when closed", async () => {
    const site = serve()
    const { adapter, live } = site
    const before = adapter.ledger.counts().stream
    await look(site)
    await live.close()
    adapter.close()

    expect(before).toBe(0)
    await vi.waitFor(() => expect(Object.values(adapter.ledger.counts()).filter((count) => count > 0)).toEqual([]))
  })
})
