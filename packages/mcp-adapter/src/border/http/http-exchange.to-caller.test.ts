import { describe, expect, it } from "vitest"
import type { Leg } from "../../calls/call-context.js"
import { toCaller } from "./http-exchange.js"
import { toRequest } from "./requests.fixture.js"

const leg: Leg = { transport: "http", era: "legacy", notices: false }

describe("toCaller", () => {
  it.each([
    { what: "its principal", principal: { id: "ann" }, remoteAddress: "127.0.0.1", client: "ann" },
    {
      what: "its address, where nobody is known",
      principal: undefined,
      remoteAddress: "127.0.0.1",
      client: "127.0.0.1",
    },
    { what: "nothing, where not even that is known", principal: undefined, client: "anonymous" },
  ])("counts a client by $what", ({ principal, remoteAddress, client }) => {
    const exchange = { request: toRequest("POST"), body: {}, path: [], principal, extra: { remoteAddress } }

    expect(toCaller(exchange, leg)).toEqual({ client, leg, ...(principal && { principal }) })
  })
})
