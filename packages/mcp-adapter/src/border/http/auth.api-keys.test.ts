import { describe, expect, it } from "vitest"
import { apiKeys } from "./auth.js"
import { toRequest } from "./requests.fixture.js"

const ann = { id: "ann" }

describe("apiKeys", () => {
  it("returns the principal of a key", async () => {
    const authenticate = apiKeys(
      new Map([
        ["key-of-bob", { id: "bob" }],
        ["key-of-ann", ann],
      ]),
    )

    expect(await authenticate(toRequest("POST", { "x-api-key": "key-of-ann" }))).toBe(ann)
  })

  it.each([{}, { "x-api-key": "" }, { "x-api-key": "key-of-an" }, { "x-api-key": "Key-of-ann" }])(
    "refuses %j with a challenge that does not repeat it",
    async (headers) => {
      const answer = await apiKeys(new Map([["key-of-ann", ann]]))(toRequest("POST", headers))

      expect(answer).toMatchObject({ status: 401, headers: { "www-authenticate": 'ApiKey realm="mcp"' } })
      expect(JSON.stringify(answer)).not.toContain("ey-of-an")
    },
  )

  it("looks a key up through a function", async () => {
    const authenticate = apiKeys((key) => Promise.resolve(key === "good" ? ann : undefined))

    expect(await authenticate(toRequest("POST", { "x-api-key": "good" }))).toBe(ann)
    expect(await authenticate(toRequest("POST", { "x-api-key": "bad" }))).toMatchObject({ status: 401 })
  })
})
