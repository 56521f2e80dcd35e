import { describe, expect, it } from "vitest"
import { boundStream, UNSENT_LIMIT } from "./create-streams.js"

describe("boundStream", () => {
  it("passes on what comes, in order, after the opening", async () => {
    const { source, feed } = createSource()
    const stream = boundStream(source, { ...silent, opening: new Uint8Array([0]) })

    feed.enqueue(new Uint8Array([1]))
    feed.enqueue(new Uint8Array([2]))
    feed.close()

    expect(await read(stream)).toEqual(new Uint8Array([0, 1, 2]))
  })

  it("carries one message above the limit", async () => {
    const { source, feed } = createSource()
    const stream = boundStream(source, silent)

    feed.enqueue(new Uint8Array(3 * UNSENT_LIMIT))
    feed.close()

    expect(await read(stream)).toHaveLength(3 * UNSENT_LIMIT)
  })

  it("carries any amount to a peer that reads", async () => {
    const { source, feed } = createSource()
    const reader = boundStream(source, silent).getReader()

    for (let sent = 0; sent < 100; sent += 1) {
      feed.enqueue(new Uint8Array(UNSENT_LIMIT))
      expect((await reader.read()).value).toHaveLength(UNSENT_LIMIT)
    }
  })

  it("drops a peer that leaves more than the limit unread, and ends its source", async () => {
    const { source, feed, cancelled } = createSource()
    let dropped = 0
    const stream = boundStream(source, { ...silent, dropped: () => dropped++ })

    for (let sent = 0; sent < 3; sent += 1) feed.enqueue(new Uint8Array(UNSENT_LIMIT))

    await cancelled
    await expect(read(stream)).rejects.toThrow("unread")
    expect(dropped).toBe(1)
  })

  it("says once that it has ended, when its source has", async () => {
    const { source, feed } = createSource()
    let ended = 0
    const stream = boundStream(source, { ...silent, ended: () => ended++ })

    feed.close()

    await read(stream)
    expect(ended).toBe(1)
  })

  it("ends its source at once when the peer is gone, with nothing to write that would tell", async () => {
    const { source, cancelled } = createSource()
    const peer = new AbortController()
    const ended = new Promise<string>((resolve) => {
      boundStream(source, { ...silent, signal: peer.signal, ended: () => resolve("ended") })
    })

    peer.abort()

    await cancelled
    expect(await ended).toBe("ended")
  })

  it("says once that it has ended, when the peer cancels, and cancels its source", async () => {
    const { source, cancelled } = createSource()
    let ended = 0
    const stream = boundStream(source, { ...silent, ended: () => ended++ })

    await stream.cancel()

    await cancelled
    expect(ended).toBe(1)
  })

  it("fails when its source fails", async () => {
    const { source, feed } = createSource()
    const stream = boundStream(source, silent)

    feed.error(new Error("broken"))

    await expect(read(stream)).rejects.toThrow("broken")
  })
})

const silent = {
  signal: new AbortController().signal,
  ended: () => {},
  dropped: () => {},
}

async function read(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

function createSource() {
  let cancel = () => {}
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve
  })
  const feeds: ReadableStreamDefaultController<Uint8Array>[] = []
  const source = new ReadableStream<Uint8Array>({ start: (feed) => void feeds.push(feed), cancel })
  const [feed] = feeds
  if (feed === undefined) throw new Error("a stream starts when it is made")
  return { source, feed, cancelled }
}
