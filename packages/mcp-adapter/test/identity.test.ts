import {
  type AgenticService,
  action,
  createAgenticService,
  link,
  links,
  type Principal,
  state,
} from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, vi } from "vitest"
import type { Era } from "./support/connect.js"
import { type connect, createDesk, createDocument, type Ran, takeSeat, textOf } from "./support/things.js"

describe.each<Era>(["legacy", "modern"])("a call under a name that comes to lead elsewhere (%s)", (era) => {
  it("asks again, and says so, when another document replaced the first during the question", async () => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    let answers = 0
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        answers += 1
        if (answers === 1) exchange("beta")
        return answers === 1 ? "accept" : "decline"
      },
    })

    const result = await seat.client.callTool({ name: "open__erase" })

    expect([textOf(result).includes("declined"), ran, seat.asked.length]).toEqual([true, [], 2])
    expect(seat.asked[0]).not.toBe(seat.asked[1])
    expect(seat.asked[1]).toContain("it has been replaced or redefined")
  })

  it("runs on the new document once the person has accepted it as well", async () => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        if (seat.asked.length === 1) exchange("beta")
        return "accept"
      },
    })

    await seat.client.callTool({ name: "open__erase" })

    expect(ran).toEqual([{ what: "erase", on: "beta" }])
  })

  it("asks once when nothing was replaced", async () => {
    const ran: Ran[] = []
    const { desk } = createDesk(ran)
    const seat = await takeSeat(desk, { era, answer: () => "accept" })

    await seat.client.callTool({ name: "open__erase" })

    expect([seat.asked.length, ran]).toEqual([1, [{ what: "erase", on: "alpha" }]])
  })

  it("asks once when the author's id says that it is the same document", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran, createDocument("alpha", ran, { id: "doc-1" }))
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        open.next(createDocument("alpha, made anew", ran, { id: "doc-1" }))
        return "accept"
      },
    })

    await seat.client.callTool({ name: "open__erase" })

    expect([seat.asked.length, ran]).toEqual([1, [{ what: "erase", on: "alpha, made anew" }]])
  })

  it("runs nothing when the replacement came during the wait for a turn", async () => {
    const ran: Ran[] = []
    const first = createDocument("alpha", ran)
    let finish = (): void => {}
    const slow = createAgenticService({
      name: "slow",
      actions: {
        hold: action({
          description: "Hold",
          execute: () =>
            blocked((end) => {
              finish = end
            }),
        }),
      },
    })
    const open = new BehaviorSubject<AgenticService | null>(first)
    const desk = createAgenticService({
      name: "desk",
      links: { open: link({ service: open }), slow: link({ service: slow }) },
    })
    const seat = await takeSeat(desk, { era, adapter: { calls: { running: 1 } } })
    const holding = seat.client.callTool({ name: "slow__hold" })
    await vi.waitFor(() => expect(seat.events.some(({ type }) => type === "call-started")).toBe(true))
    const waiting = seat.client.callTool({ name: "open__wipe" })
    await vi.waitFor(() => expect(seat.events.filter(({ type }) => type === "call-started")).toHaveLength(2))

    open.next(createDocument("beta", ran))
    finish()
    await holding

    expect([textOf(await waiting).includes("(changed)"), ran]).toEqual([true, []])
  })

  it("runs nothing when the replacement came during the check", async () => {
    const ran: string[] = []
    let checked = (): void => {}
    const create = (title: string): AgenticService =>
      createAgenticService({
        name: "document",
        actions: {
          wipe: action({
            description: "Wipe",
            input: slowly((end) => {
              checked = end
            }),
            execute: () => void ran.push(title),
          }),
        },
      })
    const open = new BehaviorSubject(create("alpha"))
    const desk = createAgenticService({ name: "desk", links: { open: link({ service: open }) } })
    const seat = await takeSeat(desk, { era })
    const calling = seat.client.callTool({ name: "open__wipe", arguments: {} })
    await vi.waitFor(() => expect(seat.events.some(({ type }) => type === "call-started")).toBe(true))

    open.next(create("beta"))
    checked()

    expect([textOf(await calling).includes("(changed)"), ran]).toEqual([true, []])
  })

  it("asks about the new definition, and checks its scopes, when an action was redefined during its check", async () => {
    const ran: string[] = []
    let checked = (): void => {}
    const input = slowly((end) => {
      checked = end
    })
    const archive = action({ description: "Archive", input, execute: () => void ran.push("archive") })
    const destroy = action({
      description: "Destroy everything",
      confirm: () => "Destroy everything?",
      execute: () => void ran.push("destroy"),
    })
    const actions = new BehaviorSubject<Record<string, unknown>>({})
    const from = async (declared: typeof archive | typeof destroy) => {
      const service = createAgenticService({ name: "one", actions: { go: declared } })
      return new Promise<object>((resolve) => service.actions.subscribe(resolve))
    }
    actions.next({ ...(await from(archive)) })
    const service = { ...createAgenticService({ name: "vault" }), actions } as unknown as AgenticService
    const seat = await takeSeat(service, { era, answer: () => "decline" })
    const calling = seat.client.callTool({ name: "go", arguments: {} })
    await vi.waitFor(() => expect(seat.events.some(({ type }) => type === "call-started")).toBe(true))

    actions.next({ ...(await from(destroy)) })
    checked()

    expect([textOf(await calling).includes("declined"), ran, seat.asked.length]).toEqual([true, [], 1])
  })

  it.each([
    {
      what: "asks again where a name that its author chose has come to belong to another",
      gone: true,
      runs: [],
      asks: 2,
    },
    {
      what: "runs what it found where another wants its name",
      gone: false,
      runs: [{ what: "erase", on: "beta" }],
      asks: 1,
    },
  ])("$what", async ({ gone, runs, asks }) => {
    const ran: Ran[] = []
    const named = (title: string): AgenticService =>
      createAgenticService({
        name: "document",
        actions: {
          [title]: action({
            description: "Erase",
            toolName: "erase_it",
            confirm: () => "Erase it?",
            execute: () => void ran.push({ what: "erase", on: title }),
          }),
        },
      })
    const first = new BehaviorSubject<AgenticService | null>(null)
    const second = new BehaviorSubject<AgenticService | null>(named("beta"))
    const desk = createAgenticService({
      name: "desk",
      links: { a: link({ service: first }), b: link({ service: second }) },
    })
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        if (seat.asked.length > 1) return "decline"
        if (gone) second.next(null)
        first.next(named("alpha"))
        return "accept"
      },
    })

    await seat.client.callTool({ name: "erase_it" })

    expect([ran, seat.asked.length]).toEqual([runs, asks])
  })

  it("rejects an answer when the action no longer asks anything", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran)
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        open.next(
          createAgenticService({
            name: "document",
            actions: {
              erase: action({ description: "Erase", execute: () => void ran.push({ what: "erase", on: "beta" }) }),
            },
          }),
        )
        return "accept"
      },
    })

    const result = await seat.client.callTool({ name: "open__erase" })

    expect([textOf(result).includes("(changed)"), ran]).toEqual([true, []])
  })

  it("asks again when a service in the middle of the path was replaced", async () => {
    const ran: Ran[] = []
    const panel = createDocument("panel", ran)
    const create = () => createAgenticService({ name: "folder", links: { panel: link({ service: panel }) } })
    const folder = new BehaviorSubject(create())
    const desk = createAgenticService({ name: "desk", links: { folder: link({ service: folder }) } })
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        if (seat.asked.length > 1) return "decline"
        folder.next(create())
        return "accept"
      },
    })

    await seat.client.callTool({ name: "folder__panel__erase" })

    expect([ran, seat.asked.length]).toEqual([[], 2])
  })

  it("names the action and its arguments in the default question", async () => {
    const service = createAgenticService({
      name: "disk",
      actions: {
        drop: action({
          title: "Drop a folder\u202E",
          description: "Deletes a folder",
          destructive: true,
          input: { type: "object", properties: { folder: { type: "string" } }, required: ["folder"] },
          execute: () => undefined,
        }),
      },
    })
    const seat = await takeSeat(service, {
      era,
      adapter: { questions: { destructive: true } },
      answer: () => "decline",
    })

    await seat.client.callTool({ name: "drop", arguments: { folder: "taxes\u001b[2J" } })

    expect(seat.asked).toEqual([
      'Do this? Drop a folder\n\nAction: Drop a folder (drop)\nArguments: {"folder":"taxes\\u001b[2J"}',
    ])
  })
})

/** Returns work that lasts until released. */
function blocked(begun: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => begun(resolve))
}

/** Creates a schema whose check waits until released. */
function slowly(begun: (end: () => void) => void) {
  const schema = { type: "object", properties: {} }
  return {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: async (value: unknown) => {
        await blocked(begun)
        return { value: value as object }
      },
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

describe.each<Era>(["legacy", "modern"])("a destructive call on another thing than was listed (%s)", (era) => {
  it("is asked about", async () => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    const seat = await takeSeat(desk, { era, answer: () => "decline" })
    await seat.client.listTools()
    exchange("beta")

    await seat.client.callTool({ name: "open__shred" })

    expect([ran, seat.asked.length]).toEqual([[], 1])
    expect(seat.asked[0]).toContain("it has been replaced or redefined")
  })

  it("is refused once when nobody can be asked, which informs the client", async () => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    const { client } = await takeSeat(desk, { era })
    await client.listTools()
    exchange("beta")

    const refused = await client.callTool({ name: "open__shred" })
    const again = await client.callTool({ name: "open__shred" })

    expect([textOf(refused).includes("(changed)"), again.isError ?? false, ran]).toEqual([
      true,
      false,
      [{ what: "shred", on: "beta" }],
    ])
  })

  it.each<[string, (client: Awaited<ReturnType<typeof connect>>["client"]) => Promise<unknown>]>([
    ["listed the tools again", (client) => client.listTools()],
    ["read a state of the new one", (client) => client.readResource({ uri: "agentic://desk/open/title" })],
    ["asked for its states", (client) => client.callTool({ name: "get_state", arguments: { path: "open" } })],
  ])("runs at once where the client has %s", async (_, look) => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    const seat = await takeSeat(desk, { era, answer: () => "decline" })
    await seat.client.listTools()
    exchange("beta")
    await look(seat.client)

    await seat.client.callTool({ name: "open__shred" })

    expect([ran, seat.asked]).toEqual([[{ what: "shred", on: "beta" }], []])
  })

  it("runs immediately when nothing was replaced", async () => {
    const ran: Ran[] = []
    const { desk } = createDesk(ran)
    const seat = await takeSeat(desk, { era, answer: () => "decline" })
    await seat.client.listTools()

    await seat.client.callTool({ name: "open__shred" })

    expect([ran, seat.asked]).toEqual([[{ what: "shred", on: "alpha" }], []])
  })
})

describe.each<Era>(["legacy", "modern"])("what clients are told of a thing that takes another's place (%s)", (era) => {
  it("sends an update for each differing state, and no other", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran)
    const { client } = await takeSeat(desk, { era })
    const told: string[] = []
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri))
    const uris = ["agentic://desk/open/title", "agentic://desk/open/rows"]
    await (era === "legacy"
      ? Promise.all(uris.map((uri) => client.subscribeResource({ uri })))
      : client.listen({ resourceSubscriptions: uris }))
    for (const uri of uris) await client.readResource({ uri })

    open.next(createDocument("alpha", ran, { rows: 2 }))

    await vi.waitFor(() => expect(told).toEqual(["agentic://desk/open/rows"]))
  })

  it("appears in the result of a concurrent call", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran)
    const swapping = createAgenticService({
      name: "both",
      actions: { swap: action({ description: "Swap", execute: () => open.next(createDocument("beta", ran)) }) },
      links: { desk: link({ service: desk }) },
    })
    const { client } = await takeSeat(swapping, { era })

    const result = await client.callTool({ name: "swap" })

    expect(textOf(result)).toContain("replaced by another under the same name: desk/open")
  })

  it("is an event, and no notice of a list", async () => {
    const ran: Ran[] = []
    const { desk, exchange } = createDesk(ran)
    const { client, events } = await takeSeat(desk, { era })
    const notices: unknown[] = []
    client.setNotificationHandler("notifications/tools/list_changed", (notice) => void notices.push(notice))
    await client.listTools()

    exchange("beta")
    await vi.waitFor(() => expect(events.some(({ type }) => type === "changed")).toBe(true))
    await client.listTools()

    const diffs = events.flatMap((event) => (event.type === "changed" ? [event.diff.tools] : []))
    expect(diffs.map(({ replaced }) => replaced.map(({ name }) => name))).toEqual([
      ["open__erase", "open__shred", "open__wipe"],
    ])
    expect(notices).toEqual([])
  })
})

describe("reading on", () => {
  it("is refused when another document has replaced the first", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran, createDocument("alpha", ran, { rows: 500 }))
    const { client } = await takeSeat(desk, { era: "modern", http: { results: { maxChars: 1_000 } } })
    const first = textOf(await client.callTool({ name: "get_state", arguments: { path: "open", keys: ["rows"] } }))
    const of = /of\\*":\\*"(\w+)/.exec(first)?.[1]
    const next = { path: "open", pointer: "/rows", offset: 20, of }
    const same = await client.callTool({ name: "get_state", arguments: next })

    open.next(createDocument("beta", ran, { rows: 500 }))
    const other = await client.callTool({ name: "get_state", arguments: next })

    expect([of === undefined, textOf(same).includes("alpha 20"), textOf(other).includes("(changed)")]).toEqual([
      false,
      true,
      true,
    ])
    expect(textOf(other)).not.toContain("beta 20")
  })

  it("reports a replaced document with equal values as changed", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran)
    const { client } = await takeSeat(desk, { era: "modern" })
    const ask = (since: string) => client.callTool({ name: "get_state", arguments: { path: "open", since } })
    const since = /since: (\w+)/.exec(textOf(await ask("")))?.[1] ?? ""
    const before = textOf(await ask(since))

    open.next(createDocument("alpha", ran))

    expect([before.includes("unchanged"), textOf(await ask(since)).includes("unchanged")]).toEqual([true, false])
  })

  it("ends a wait for a change, and reports the replacement", async () => {
    const ran: Ran[] = []
    const { desk, open } = createDesk(ran)
    const { client, events } = await takeSeat(desk, { era: "modern", http: { tools: { waitFor: true } } })
    const waiting = client.callTool({ name: "wait_for", arguments: { path: "open", key: "title", seconds: 20 } })
    await vi.waitFor(() => expect(events.some(({ type }) => type === "call-started")).toBe(true))

    open.next(createDocument("alpha", ran))

    expect(textOf(await waiting)).toContain('\\"met\\":true')
    expect(textOf(await waiting)).toContain('\\"replaced\\":true')
  })
})

describe("an answer that reaches another process", () => {
  const secret = new Uint8Array(32).fill(3)

  async function two(answeredBy: "asker" | "any", create: (ran: Ran[]) => AgenticService) {
    const [ran1, ran2]: [Ran[], Ran[]] = [[], []]
    const options = { questions: { secret, answeredBy } }
    const one = await takeSeat(create(ran1), { era: "modern", adapter: options })
    const other = await takeSeat(create(ran2), { era: "modern", adapter: options })
    const context = {
      leg: { transport: "http", era: "modern", notices: false } as const,
      clientCapabilities: { elicitation: {} },
    }
    const inputResponses = { _confirm: { action: "accept", content: { confirm: true } } }
    const ask = async (seat: typeof one) => {
      const asked = await seat.adapter.call("open__erase", {}, context)
      if (asked.kind !== "asked") throw new Error(`expected a question, found ${JSON.stringify(asked)}`)
      return asked.state
    }
    const answer = (seat: typeof one, requestState: string) =>
      seat.adapter.call("open__erase", {}, { ...context, requestState, inputResponses })
    return { one, other, ask, answer, ran: [ran1, ran2] }
  }

  it("is asked once more by default, then refused with the option's name", async () => {
    const { one, other, ask, answer, ran } = await two("asker", (all) => createDesk(all).desk)

    const again = await answer(other, await ask(one))
    const refused = again.kind === "asked" ? await answer(one, again.state) : again

    expect([again.kind, ran]).toEqual(["asked", [[], []]])
    expect(textOf(refused)).toContain("questions.answeredBy")
  })

  it("runs in the process that asked again", async () => {
    const { one, other, ask, answer, ran } = await two("asker", (all) => createDesk(all).desk)

    const again = await answer(other, await ask(one))
    if (again.kind === "asked") await answer(other, again.state)

    expect(ran).toEqual([[], [{ what: "erase", on: "alpha" }]])
  })

  it("runs there with `answeredBy: any` and an author's id", async () => {
    const create = (all: Ran[]) => createDesk(all, createDocument("alpha", all, { id: "doc-1" })).desk
    const { one, other, ask, answer, ran } = await two("any", create)

    await answer(other, await ask(one))

    expect(ran).toEqual([[], [{ what: "erase", on: "alpha" }]])
  })

  it("runs there behind a fixed link", async () => {
    const create = (all: Ran[]) =>
      createAgenticService({ name: "desk", links: { open: link({ service: createDocument("alpha", all) }) } })
    const { one, other, ask, answer, ran } = await two("any", create)

    await answer(other, await ask(one))

    expect(ran).toEqual([[], [{ what: "erase", on: "alpha" }]])
  })

  it("is asked again there behind a variable link without an author's id", async () => {
    const { one, other, ask, answer, ran } = await two("any", (all) => createDesk(all).desk)

    const again = await answer(other, await ask(one))

    expect([again.kind, ran]).toEqual(["asked", [[], []]])
  })

  it("is asked again there when the author's ids differ", async () => {
    let count = 0
    const create = (all: Ran[]) => {
      count += 1
      return createDesk(all, createDocument("alpha", all, { id: `doc-${count}` })).desk
    }
    const { one, other, ask, answer, ran } = await two("any", create)

    const again = await answer(other, await ask(one))

    expect([again.kind, ran]).toEqual(["asked", [[], []]])
  })
})

describe("an item whose key moves", () => {
  it("moves its service along, and is reported", async () => {
    const ran: Ran[] = []
    const items = new BehaviorSubject([{ title: "alpha" }, { title: "beta" }])
    const keys = new WeakMap<object, number>()
    items.subscribe((all) => {
      for (const [index, item] of all.entries()) keys.set(item, index)
    })
    const shelf = createAgenticService({
      name: "shelf",
      links: {
        books: links({
          of: items,
          key: (item) => String(keys.get(item)),
          service: ({ title }) => createDocument(title, ran),
        }),
      },
    })
    const { client, events } = await takeSeat(shelf, { era: "modern" })
    await client.listTools()

    items.next([...items.value].reverse())
    await client.callTool({ name: "books__0__wipe" })

    expect(ran).toEqual([{ what: "wipe", on: "beta" }])
    const codes = events.flatMap((event) => (event.type === "diagnostic" ? [event.diagnostic.code] : []))
    expect(codes).toContain("links_traded")
  })
})

describe("principals", () => {
  it("with equal id and scopes but other claims have their own services", async () => {
    const services: string[] = []
    const create = (principal: Principal | undefined) => {
      const tenant = String(principal?.claims?.["tenant"])
      services.push(tenant)
      return createAgenticService({
        name: "desk",
        states: { tenant: state({ description: "Whose", schema: { type: "string" }, value: tenant }) },
      })
    }
    const { adapter } = await takeSeat(create, { era: "modern" })
    const read = (tenant: string, exp: number) =>
      adapter.read("agentic://agentic-service/tenant", { principal: { id: "ann", claims: { tenant, exp } } })

    const values = [await read("a", 1), await read("b", 1), await read("a", 2)]

    expect(values.map((each) => each?.value)).toEqual(["a", "b", "a"])
    expect(services.filter((each) => each !== "undefined")).toEqual(["a", "b"])
  })
})

describe("a remote URI that two states share", () => {
  it("resolves to neither, even when one of them is gone", async () => {
    const create = (title: string) =>
      ({
        ...createAgenticService({ name: title }),
        states: new BehaviorSubject({ notes: { schema: { type: "string" }, uri: "file:///notes", value: title } }),
      }) as unknown as AgenticService
    const [a, b] = [
      new BehaviorSubject<AgenticService | null>(create("a")),
      new BehaviorSubject<AgenticService | null>(null),
    ]
    const root = createAgenticService({ name: "root", links: { a: link({ service: a }), b: link({ service: b }) } })
    const { client } = await takeSeat(root, { era: "modern" })
    const read = () =>
      client.readResource({ uri: "file:///notes" }).then(
        ({ contents }) => contents[0],
        () => "not found",
      )
    const alone = await read()

    b.next(create("b"))
    const shared = await read()
    a.next(null)

    expect([alone, shared, await read()]).toEqual([expect.objectContaining({ text: '"a"' }), "not found", "not found"])
  })
})

describe.each<Era>(["legacy", "modern"])("a thing that is found by another path (%s)", (era) => {
  it("is asked about once when a shorter link is added during the question", async () => {
    const ran: Ran[] = []
    const document = createDocument("alpha", ran)
    const added = new BehaviorSubject<AgenticService | null>(null)
    const folder = createAgenticService({ name: "folder", links: { document: link({ service: document }) } })
    const desk = createAgenticService({
      name: "desk",
      links: { folder: link({ service: folder }), added: link({ service: added }) },
    })
    const seat = await takeSeat(desk, {
      era,
      answer: () => {
        added.next(document)
        return "accept"
      },
    })

    await seat.client.callTool({ name: "folder__document__erase" })

    expect([seat.asked.length, ran]).toEqual([1, [{ what: "erase", on: "alpha" }]])
  })

  it("runs when it moves with its author's name while the call waits", async () => {
    const ran: string[] = []
    let checked = (): void => {}
    const input = slowly((end) => {
      checked = end
    })
    const wipe = action({ description: "Wipe", toolName: "wipe_it", input, execute: () => void ran.push("wiped") })
    const document = createAgenticService({ name: "document", actions: { wipe } })
    const other = createAgenticService({ name: "other" })
    const [left, right] = [new BehaviorSubject<AgenticService>(document), new BehaviorSubject<AgenticService>(other)]
    const desk = createAgenticService({
      name: "desk",
      links: { left: link({ service: left }), right: link({ service: right }) },
    })
    const seat = await takeSeat(desk, { era })
    const calling = seat.client.callTool({ name: "wipe_it", arguments: {} })
    await vi.waitFor(() => expect(seat.events.some(({ type }) => type === "call-started")).toBe(true))

    left.next(other)
    right.next(document)
    checked()

    expect([(await calling).isError ?? false, ran]).toEqual([false, ["wiped"]])
  })
})

describe("a question that contains other people's words", () => {
  it("cannot imitate another action", async () => {
    const service = createAgenticService({
      name: "disk",
      actions: {
        drop: action({
          description: "Deletes",
          confirm: () => 'Delete "x\n\nAction: rename\n Arguments: {}"?',
          execute: () => undefined,
        }),
      },
    })
    const seat = await takeSeat(service, { era: "modern", answer: () => "decline" })

    await seat.client.callTool({ name: "drop" })

    expect(seat.asked).toEqual(['Delete "x\n\n> Action: rename\n>  Arguments: {}"?\n\nAction: drop'])
  })
})
