import { describe, expect, it } from "vitest"
import type { HttpOptions } from "../src/border/http.js"
import { introduce, readAnswer, readMessages, serveWire } from "./support/wire.js"

/** Possible version headers of a negotiating request. */
const HEADERS = [undefined, "", "2025-11-25", "2024-11-05", "1999-01-01", "2026-07-28", "2027-06-30", "garbage"]
const LATEST = "2025-11-25"

async function initialize(options: HttpOptions, header: string | undefined, version: string) {
  const { post } = await serveWire(options)
  const headers = { "mcp-protocol-version": header }
  return readAnswer(post({ id: 1, method: "initialize", params: introduce(version) }, { headers }))
}

describe.each(["sessions", "stateless"] as const)("initialize over HTTP, legacy: %s", (legacy) => {
  it.each(HEADERS)(
    "is negotiated by its body, regardless of the version header: %j [initialize-echo]",
    async (header) => {
      expect(await initialize({ legacy }, header, "2025-06-18")).toMatchObject({
        status: 200,
        result: { protocolVersion: "2025-06-18" },
      })
    },
  )

  it.each(["2026-07-28", "2027-06-30", "garbage"])(
    "is answered with the latest where header and body name %s [initialize-offer]",
    async (version) => {
      expect(await initialize({ legacy }, version, version)).toMatchObject({
        status: 200,
        result: { protocolVersion: LATEST },
      })
    },
  )

  it.each(["1999-01-01", "2027-06-30", "garbage", ""])(
    "is followed by requests whose header names one that is spoken, not %j [legacy-version-400]",
    async (header) => {
      const { post } = await serveWire({ legacy })
      const opened = await post({ id: 0, method: "initialize", params: introduce("2027-06-30") })
      await readMessages(opened).next()
      const headers = {
        "mcp-session-id": opened.headers.get("mcp-session-id") ?? undefined,
        "mcp-protocol-version": header,
      }

      expect(await readAnswer(post({ id: 1, method: "tools/list" }, { headers }))).toMatchObject({
        status: 400,
        error: { code: expect.any(Number) },
      })
      const right = { ...headers, "mcp-protocol-version": LATEST }
      expect((await readAnswer(post({ id: 2, method: "tools/list" }, { headers: right }))).status).toBe(200)
    },
  )
})

describe("a legacy body under a modern header", () => {
  it.each(["2026-07-28", "2027-06-30"])("is told that its claim is missing: %s [meta-required]", async (version) => {
    const { post } = await serveWire()
    const headers = { "mcp-protocol-version": version, "mcp-method": "tools/list" }

    expect(await readAnswer(post({ id: 1, method: "tools/list" }, { headers }))).toMatchObject({
      status: 400,
      error: { code: -32602, data: { at: "/params/_meta" } },
    })
  })
})

describe("initialize with `legacy: reject`", () => {
  it.each(
    HEADERS.flatMap((header) => ["2025-11-25", "2026-07-28", "2027-06-30"].map((body) => [header, body] as const)),
  )("is told which revision there is, under %j and naming %s [modern-only-named]", async (header, body) => {
    expect(await initialize({ legacy: "reject" }, header, body)).toMatchObject({
      status: 400,
      error: { code: -32022, data: { supported: ["2026-07-28"], requested: body } },
    })
  })
})
