import { describe, expect, it } from "vitest"
import { createPeer, type PeerMessage } from "./to-context.js"

function reach(abort = new AbortController()) {
  const sent: unknown[] = []
  const failures: Error[] = []
  const { peer, end } = createPeer({
    signal: abort.signal,
    clientCapabilities: { roots: {} },
    notify: async (message) => void sent.push(message),
    log: async (...message) => void sent.push(message),
    request: async (message: PeerMessage) => ({ asked: message.method }),
    failed: (error) => void failures.push(error),
  })
  return { peer, end, sent, failures }
}

describe("createPeer", () => {
  it("sends notifications, log messages and requests", async () => {
    const { peer, sent } = reach()

    peer.notify("notifications/progress", { progress: 1 })
    peer.log("info", "words", "tests")

    expect(sent).toEqual([{ method: "notifications/progress", params: { progress: 1 } }, ["info", "words", "tests"]])
    expect(await peer.request?.("roots/list")).toEqual({ asked: "roots/list" })
  })

  it("sends nothing once the request is answered", async () => {
    const { peer, end, sent } = reach()

    end()
    peer.notify("notifications/progress")
    peer.log("info", "words")

    expect(sent).toEqual([])
    await expect(peer.request?.("roots/list")).rejects.toThrow("has already been answered")
  })

  it("sends no notification once the request is aborted", () => {
    const abort = new AbortController()
    const { peer, sent } = reach(abort)

    abort.abort()
    peer.notify("notifications/progress")

    expect(sent).toEqual([])
  })

  it("reports a failed message, and throws nothing", async () => {
    const broken = new Error("closed")
    const failed = new Promise((resolve) => {
      const ways = {
        signal: new AbortController().signal,
        clientCapabilities: {},
        log: async () => {},
        failed: resolve,
      }
      createPeer({ ...ways, notify: () => Promise.reject(broken) }).peer.notify("notifications/progress")
    })

    expect(await failed).toBe(broken)
  })

  it("refuses a question that the client has not declared, and names the capability", async () => {
    const { peer } = reach()

    await expect(peer.request?.("sampling/createMessage")).rejects.toMatchObject({
      code: -32021,
      message: '"sampling/createMessage" was not sent: the client did not declare "sampling"',
      data: { requiredCapabilities: { sampling: {} } },
    })
  })

  it("has no `request` if the connection cannot ask", () => {
    const silent = { notify: async () => {}, log: async () => {}, failed: () => {} }
    const ways = { signal: new AbortController().signal, clientCapabilities: {}, ...silent }

    expect(createPeer(ways).peer).not.toHaveProperty("request")
  })
})
