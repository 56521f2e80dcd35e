import { expect, it } from "vitest"
import type { Mounted } from "./mount.js"

/** Defines the tests that every example must pass. */
export function itServes(mounted: () => Mounted): void {
  it.each(["legacy", "modern"] as const)("lists and calls for a %s client", async (era) => {
    const client = await mounted().connect(era)

    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("add")
    expect(await client.callTool({ name: "add", arguments: { text: "milk" } })).toMatchObject({
      structuredContent: { result: expect.any(Number) },
    })
    expect(client.getProtocolEra()).toBe(era)
  })

  it.each([
    ["is no JSON", "{", 400],
    ["is too large", `"${"x".repeat(5 * 2 ** 20)}"`, 413],
  ])("refuses a body that %s", async (_problem, body, status) => {
    const response = await mounted().post(body)

    expect(response.status).toBe(status)
  })
}
