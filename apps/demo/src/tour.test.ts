import { describe, expect, it } from "vitest"
import { start } from "./start.fixture.js"

describe("tour", () => {
  it.each([{ args: ["--url", "http://127.0.0.1:1/mcp"] }, { args: ["--stdio"] }])(
    "plays to the end and exits with 0: $args",
    async ({ args }) => {
      const program = start("tour", ...args)

      expect(await program.ended).toEqual({ code: 0 })
      expect(program.output.stdout).toMatch(
        /the tools have changed: \+undo\n.*the person is asked: Delete 2 cards\? Action: clear .*Everything worked as expected\.\n$/s,
      )
    },
  )

  it("exits with 1 when it cannot play", async () => {
    expect(await start("tour", "--wat").ended).toEqual({ code: 1 })
  })
})
