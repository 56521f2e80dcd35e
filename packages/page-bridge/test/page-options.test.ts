import { createAgenticService } from "@x/agentic-service"
import type { Channel } from "@x/service-wire"
import { filter, firstValueFrom } from "rxjs"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { connectPage, type PageOptions, type PageStatus } from "../src/index.js"

// The parts of a browser that a page without a connection uses.
beforeEach(() => {
  vi.stubGlobal(
    "document",
    Object.assign(new EventTarget(), { title: "Board", visibilityState: "visible", hasFocus: () => true }),
  )
  vi.stubGlobal("location", { href: "https://app.example/board", hostname: "app.example" })
  vi.stubGlobal("addEventListener", () => {})
  vi.stubGlobal("removeEventListener", () => {})
})
afterEach(() => vi.unstubAllGlobals())

/** Connects a page as JavaScript can, and returns its first status after `connecting`. */
async function connectWith(options: object): Promise<PageStatus> {
  // Options of a wrong type do not compile.
  const page = connectPage(createAgenticService({ name: "board" }), { url: "/mcp/pages", ...options } as PageOptions)
  const status = await firstValueFrom(page.status.pipe(filter(({ state }) => state !== "connecting")))
  page.close()
  return status
}

describe("an invalid option of a page", () => {
  it.each<[string, object, string]>([
    [
      "a token function that returns an object",
      { token: () => ({ token: "secret" }) },
      'option "token" returned a value of type object: expected a string',
    ],
    [
      "a token function that resolves with null",
      { token: async () => null },
      'option "token" returned null: expected a string',
    ],
    [
      "a token that is an object",
      { token: { token: "secret" } },
      'option "token" is a value of type object: expected a string',
    ],
    [
      "a URL that is none",
      { url: "http://:80:" },
      'option "url" is "http://:80:": expected a path, or a URL of ws:, wss:, http: or https:',
    ],
    ["a URL of another kind", { url: "ftp://app.example/pages" }, "expected a path, or a URL of ws:"],
    ["an open that is no function", { open: "/pages" }, 'option "open" is "/pages": expected a function'],
    [
      "an open that returns a promise",
      { open: async () => ({}) },
      'expected a channel with "send", "listen" and "close"',
    ],
  ])("ends the attempts with a reason: %s", async (_name, options, reason) => {
    const status = await connectWith(options)

    expect(status).toMatchObject({ state: "refused", code: "invalid_option", reason: expect.stringContaining(reason) })
    expect(JSON.stringify(status)).not.toContain("secret")
  })

  it("is not a token function that fails, which may succeed later", async () => {
    const status = await connectWith({ token: () => Promise.reject(new Error("offline")) })

    expect(status).toMatchObject({ state: "waiting", reason: "offline", retryMs: expect.any(Number) })
  })
})

describe("a host that does not answer", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is given up after 20 s, and tried again", async () => {
    const closed: string[] = []
    let opened = 0
    const open = (): Channel => {
      opened += 1
      return { send() {}, listen() {}, close: (reason = "") => void closed.push(reason) }
    }
    const page = connectPage(createAgenticService({ name: "board" }), { open })
    const seen: PageStatus[] = []
    page.status.subscribe((status) => seen.push(status))

    await vi.advanceTimersByTimeAsync(20_000)
    const reason = "the host did not answer within 20 s"
    expect(seen.at(-1)).toMatchObject({ state: "waiting", reason, retryMs: expect.any(Number) })
    expect(closed).toEqual([reason])

    await vi.advanceTimersByTimeAsync(5_000)
    expect(opened).toBe(2)
    page.close()
    expect(vi.getTimerCount()).toBe(0)
  })
})
