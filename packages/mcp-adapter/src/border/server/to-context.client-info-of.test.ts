import { describe, expect, it } from "vitest"
import type { Leg } from "../../calls/call-context.js"
import { clientInfoOf } from "./to-context.js"

describe("clientInfoOf", () => {
  it.each(["legacy", "modern"] as const)("returns the client's stated name in the legacy era only: %s", (era) => {
    const leg: Leg = { transport: "stdio", era, notices: true }
    const clientInfo = { name: "client", version: "1" }

    expect(clientInfoOf(leg, { getClientVersion: () => clientInfo })).toEqual(
      era === "legacy" ? { clientInfo } : undefined,
    )
  })
})
