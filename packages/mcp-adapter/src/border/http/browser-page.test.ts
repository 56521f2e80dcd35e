import { createAgenticService } from "@x/agentic-service"
import { describe, expect, it, onTestFinished } from "vitest"
import { createMcpAdapter } from "../../create-adapter.js"
import { createFetchHandler } from "../fetch.js"
import { apiKeys } from "./auth.js"

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

function visit(
  options: Parameters<typeof createFetchHandler>[1] = {},
  { host = "localhost:3000", path = "/mcp" } = {},
) {
  const adapter = createMcpAdapter(createAgenticService({ name: "secret name" }))
  const handler = createFetchHandler(adapter, options)
  onTestFinished(async () => {
    await handler.close()
    adapter.close()
  })
  return handler.fetch(new Request(`http://${host}${path}`, { headers: { accept: BROWSER, host } }))
}

describe("the endpoint in a browser", () => {
  it.each(["sessions", "stateless", "reject"] as const)("says what it is and how to connect: %s", async (legacy) => {
    const response = await visit({ legacy })

    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(await response.text()).toContain("claude mcp add --transport http app http://localhost:3000/mcp")
  })

  it("says that it requires sign-in, and nothing about the application", async () => {
    const response = await visit({ authenticate: apiKeys(new Map([["0123456789abcdef", { id: "ann" }]])) })
    const text = await response.text()

    expect(response.status).toBe(401)
    expect(text).toContain("requires sign-in")
    expect(text).not.toContain("secret name")
  })

  it("runs nothing that its address says", async () => {
    const response = await visit({}, { path: "/mcp?<script>alert(1)</script>" })

    expect(await response.text()).not.toContain("<script>")
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
  })

  it("refuses the name of another host as before", async () => {
    const response = await visit({}, { host: "evil.example" })

    expect([response.status, response.headers.get("content-type")]).toEqual([403, "application/json"])
  })
})
