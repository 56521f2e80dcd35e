import {
  type Action,
  type AgenticService,
  createAgenticService,
  link,
  ServiceError,
  type State,
} from "@x/agentic-service"
import { BehaviorSubject, NEVER, of } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"
import { createClient, type Era } from "./support/connect.js"

const THERE = "note://one"
const OURS = "agentic://notes/note"

describe.each<Era>(["legacy", "modern"])("a state that is held elsewhere (%s)", (era) => {
  it("is fetched when read, by its own URI and its remote one", async () => {
    const { client } = await connectNotes(era)

    const ours = await client.readResource({ uri: OURS })
    const there = await client.readResource({ uri: THERE })

    expect(ours.contents).toEqual([{ uri: OURS, mimeType: "text/plain", text: "read 1", _meta: { by: "ann" } }])
    expect(there.contents).toMatchObject([{ uri: THERE, text: "read 2" }])
  })

  it("is fetched by get_state when its key is named", async () => {
    const { client } = await connectNotes(era)

    const named = await client.callTool({ name: "get_state", arguments: { keys: ["note"] } })
    const all = await client.callTool({ name: "get_state" })

    expect(named.content).toMatchObject([{ text: '{"note":"read 1"}' }])
    expect(JSON.stringify(all.content)).toContain("read it with")
  })

  it("gives the reason why it cannot be fetched", async () => {
    const { client } = await connectNotes(era, { fails: true })

    await expect(client.readResource({ uri: THERE })).rejects.toMatchObject({ message: "the shelf is locked" })
  })
})

describe("a remote state", () => {
  it("is watched while a client listens, and announced under the requested URI", async () => {
    const { client, emit, watchers } = await connectNotes("legacy")
    const told = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve))

    await client.subscribeResource({ uri: THERE })
    expect(watchers()).toBe(1)
    emit()
    expect(await told).toMatchObject({ params: { uri: THERE } })
    await client.unsubscribeResource({ uri: THERE })

    expect(watchers()).toBe(0)
  })
})

/** Creates a server with a remote state, and counts its watchers. */
function createShelf(text: string) {
  let watching = 0
  const watch = () => {
    watching += 1
    return () => {
      watching -= 1
    }
  }
  const read = async () => [{ type: "resource" as const, uri: THERE, text }]
  const note: State = { schema: {}, mediaType: "text/plain", value: 0, remote: { read, watch } }
  const service = { ...createAgenticService({ name: "notes" }), states: of({ note }) }
  return { service, watchers: () => watching }
}

describe.each<Era>(["legacy", "modern"])("a state that another server comes to hold (%s)", (era) => {
  it("moves its watch to the new owner, and is announced even with equal placeholders", async () => {
    const [a, b] = [createShelf("a's"), createShelf("b's")]
    const shelf = new BehaviorSubject<AgenticService>(a.service)
    const adapter = createMcpAdapter(createAgenticService({ name: "root", links: { notes: link({ service: shelf }) } }))
    const client = createClient(era)
    await client.connect(connectInMemory(adapter))
    onTestFinished(() => client.close().finally(adapter.close))
    const uri = "agentic://root/notes/note"
    const told = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve))
    await (era === "legacy" ? client.subscribeResource({ uri }) : client.listen({ resourceSubscriptions: [uri] }))
    const before = [a.watchers(), b.watchers()]

    shelf.next(b.service)

    expect(await told).toMatchObject({ params: { uri } })
    expect([before, [a.watchers(), b.watchers()]]).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect((await client.readResource({ uri })).contents).toMatchObject([{ text: "b's" }])
  })
})

describe("another server's outcome", () => {
  it("is shown unchanged, with each block's metadata", async () => {
    const { client } = await connectNotes("legacy")

    const result = await client.callTool({ name: "copy" })

    expect(result).toEqual({
      content: [{ type: "text", text: "as it was", annotations: { priority: 1 }, _meta: { a: 1 } }],
      structuredContent: { n: 1 },
    })
  })

  it("is refused with the other server's error", async () => {
    const { client } = await connectNotes("modern")

    await expect(client.callTool({ name: "refuse" })).rejects.toMatchObject({ code: -32_602, message: "no such page" })
  })
})

async function connectNotes(era: Era, { fails = false } = {}) {
  let reads = 0
  let watching = 0
  const read = async () => {
    if (fails) throw new ServiceError("the shelf is locked")
    reads += 1
    return [
      { type: "resource" as const, uri: THERE, mimeType: "text/plain", text: `read ${reads}`, meta: { by: "ann" } },
    ]
  }
  const watch = () => {
    watching += 1
    return () => {
      watching -= 1
    }
  }
  const note = (value: number): State => ({
    schema: {},
    mediaType: "text/plain",
    uri: THERE,
    value,
    remote: { read, watch },
  })
  const states = new BehaviorSubject({ note: note(0) })
  const service: AgenticService = {
    name: "notes",
    states,
    actions: of({
      copy: toAction({
        ok: true,
        verbatim: true,
        value: { n: 1 },
        content: [{ type: "text", text: "as it was", annotations: { priority: 1 }, meta: { a: 1 } }],
      }),
      refuse: toAction({ ok: false, message: "no such page", refusal: { code: -32_602 } }),
    }),
    links: of({}),
    declared: { states: {}, actions: {}, links: {} },
    failures: NEVER,
    execute: async () => ({ ok: false, message: "not here" }),
    close: () => {},
  }
  const adapter = createMcpAdapter(service)
  const client = createClient(era)
  await client.connect(connectInMemory(adapter, { results: { catchUp: false } }))
  onTestFinished(() => client.close().finally(adapter.close))
  return {
    client,
    watchers: () => watching,
    emit: () => states.next({ note: note(states.value.note.value === 0 ? 1 : 2) }),
  }
}

function toAction(reply: Awaited<ReturnType<Action["execute"]>>): Action {
  return {
    description: "Answers",
    schema: undefined,
    hints: {},
    check: () => ({ ok: true, input: undefined }),
    execute: async () => reply,
  }
}
