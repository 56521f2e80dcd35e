import { describe, expect, it } from "vitest"
import { type Message, readAnswer, serveWire, toMessage } from "./support/wire.js"

describe("resumability (2025-11-25, basic/transports)", () => {
  it("gives a client whose connection broke the answer it missed [resume-rest]", async () => {
    const { open, url } = await serveWire()
    const { send, headers } = await open()
    const broken = new AbortController()
    const params = { name: "work", _meta: { progressToken: "w" } }
    const answer = readEvents(await send({ id: 1, method: "tools/call", params }, { signal: broken.signal }))
    const { value: primed } = await answer.next()
    const { value: progress } = await answer.next()
    broken.abort()
    await answer.next().catch(() => {})

    await readAnswer(send({ id: 2, method: "tools/call", params: { name: "finish" } }))
    const rest = await readAll(
      await fetch(url, { headers: { ...headers, ...LISTEN, "last-event-id": progress?.id ?? "" } }),
    )

    expect(primed?.message).toBeUndefined()
    expect(rest.map(({ message }) => message?.id)).toContain(1)
    expect(rest.every(({ id }) => Number(id) > Number(progress?.id))).toBe(true)
  })

  it("sends the reconnection time", async () => {
    const { open } = await serveWire()
    const { send } = await open()

    const params = { name: "work", _meta: { progressToken: "w" } }
    const working = await send({ id: 1, method: "tools/call", params })
    await send({ id: 2, method: "tools/call", params: { name: "finish" } })

    expect(await working.text()).toMatch(/^id: \d+\nretry: 1000\ndata: \n\n/)
  })

  it("sends a reconnecting client its missed notices [resume-id]", async () => {
    const { open, url, toggle, adapter } = await serveWire({}, { notices: { windowMs: 0 } })
    const { headers } = await open()
    const first = await listen(url, headers)
    const toggled = first.events.next()
    toggle()
    const { value: heard } = await toggled
    await first.drop(adapter)
    const missed = nextNotice(adapter)
    toggle()
    await missed

    const again = await listen(url, { ...headers, "last-event-id": heard?.id ?? "" })

    expect((await again.events.next()).value?.message?.method).toBe("notifications/tools/list_changed")
  })

  it("keeps notices until a stream can carry them", async () => {
    const { open, url, toggle, adapter } = await serveWire({}, { notices: { windowMs: 0 } })
    const { headers } = await open()
    const missed = nextNotice(adapter)
    toggle()
    await missed

    const { events } = await listen(url, headers)

    expect((await events.next()).value?.message?.method).toBe("notifications/tools/list_changed")
  })

  it("gives nothing to another session [resume-rest]", async () => {
    const { open, url, toggle } = await serveWire({}, { notices: { windowMs: 0 } })
    const [mine, other] = [await open(), await open()]
    const { events } = await listen(url, mine.headers)
    const toggled = events.next()
    toggle()
    const { value: heard } = await toggled
    const theirs = await listen(url, { ...other.headers, "last-event-id": heard?.id ?? "" })
    const next = theirs.events.next()
    // The other session's first stream gets its own waiting message, then only new ones.
    await next
    toggle()

    expect((await theirs.events.next()).value?.message?.method).toBe("notifications/tools/list_changed")
  })

  it("lets a client that missed more than is kept start a new stream", async () => {
    const { open, url, toggle } = await serveWire({ maxSentSize: 1 }, { notices: { windowMs: 0 } })
    const { headers } = await open()

    const { events } = await listen(url, { ...headers, "last-event-id": "7" })
    toggle()

    expect((await events.next()).value?.message?.method).toBe("notifications/tools/list_changed")
  })
})

/** A stream's event: an id and perhaps a message. */
interface SentEvent {
  readonly id: string
  readonly message?: Message
}

const LISTEN = { accept: "text/event-stream" }

async function* readEvents(response: Response): AsyncGenerator<SentEvent, undefined> {
  let rest = ""
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = `${rest}${chunk}`.split("\n\n")
    rest = events.pop() ?? ""
    for (const event of events) {
      const id = /^id: (.*)$/m.exec(event)?.[1]
      const data = /^data: (\{.*)$/m.exec(event)?.[1]
      if (id !== undefined) yield { id, ...(data && { message: toMessage(JSON.parse(data)) }) }
    }
  }
}

/** Reads events that carry a message. */
async function* readMessages(response: Response): AsyncGenerator<SentEvent, undefined> {
  for await (const event of readEvents(response)) if (event.message !== undefined) yield event
}

async function readAll(response: Response): Promise<readonly SentEvent[]> {
  const all: SentEvent[] = []
  for await (const event of readEvents(response)) all.push(event)
  return all
}

type Adapter = Awaited<ReturnType<typeof serveWire>>["adapter"]

/** Opens the stream of notices; `drop` breaks it and waits until the server has noticed. */
async function listen(url: string, headers: Readonly<Record<string, string>>) {
  const broken = new AbortController()
  const response = await fetch(url, { headers: { ...headers, ...LISTEN }, signal: broken.signal })
  return {
    events: readMessages(response),
    async drop({ ledger }: Adapter) {
      broken.abort()
      await expect.poll(() => ledger.counts().stream).toBe(0)
    },
  }
}

/** Resolves once a view has announced its next change to its listeners, and so to the servers that deliver it. */
async function nextNotice({ core }: Adapter): Promise<void> {
  const { view, release } = core.open(undefined)
  await new Promise<void>((resolve) => {
    const subscription = view.notices.subscribe(() => {
      subscription.unsubscribe()
      resolve()
    })
  })
  release()
}
