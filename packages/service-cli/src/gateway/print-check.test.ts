import { describe, expect, it } from "vitest"
import { toRefusals } from "./print-check.js"

describe("toRefusals", () => {
  it("prints a reason that several servers share once", () => {
    const refused = [
      { name: "a", reasons: ["/mcp/exclude: is not a known key"] },
      { name: "b", reasons: ["/mcp/exclude: is not a known key", "/mcpServers/b/args: expected a list"] },
    ]

    expect(toRefusals(refused)).toEqual([
      'servers "a", "b" are refused: /mcp/exclude: is not a known key',
      'server "b" is refused: /mcpServers/b/args: expected a list',
    ])
  })
})
