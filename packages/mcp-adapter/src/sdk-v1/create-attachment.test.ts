import type { Principal } from "@x/agentic-service"
import { describe, expect, it } from "vitest"
import { createEmptyAdapter } from "../border/http/requests.fixture.js"
import { createEndpoint } from "../create-endpoint.js"
import { createAttachment, type IdentifyCaller } from "./create-attachment.js"
import type { Extra } from "./sdk-server.js"

const requestInfo = { headers: {} }

describe("createAttachment", () => {
  it("returns the caller and its leg", async () => {
    const { attachment } = attach(undefined)
    const callerOf = async (extra: Partial<Extra>) => (await attachment.of(toExtra(extra))).caller

    const leg = { transport: "stdio", era: "legacy", notices: true }
    expect(await callerOf({})).toEqual({ client: "stdio", session: expect.any(String), leg })
    expect(await callerOf({ requestInfo, sessionId: "s" })).toMatchObject({ client: "s", leg: { transport: "http" } })
    expect(await callerOf({ requestInfo })).toMatchObject({ client: "http" })
  })

  it("knows the principal at once, or from the first request on", async () => {
    const known = attach({ id: "ann" })
    const found = attach((authInfo, info) => ({ id: `${authInfo?.token}, ${info?.headers["x"]}` }))
    expect([known.attached, found.attached]).toEqual([["ann"], []])

    const authInfo = { token: "bob", clientId: "b", scopes: [] }
    await found.attachment.of(toExtra({ authInfo, requestInfo: { headers: { x: "y" } } }))

    expect(found.attached).toEqual(["bob, y"])
  })

  it("takes one lease for concurrent requests", async () => {
    const { attachment, attached } = attach(async () => ({ id: "ann" }))

    await Promise.all([attachment.of(toExtra()), attachment.of(toExtra())])

    expect(attached).toEqual(["ann"])
  })

  it("takes no lease once it is released", async () => {
    const { attachment, attached } = attach(async () => ({ id: "ann" }))
    const asked = attachment.of(toExtra())

    attachment.release()

    await expect(asked).rejects.toMatchObject({ code: -32603 })
    expect(attached).toEqual([])
  })
})

function attach(principal: Principal | IdentifyCaller | undefined) {
  const attached: unknown[] = []
  const attachment = createAttachment(createEndpoint(createEmptyAdapter()), {
    principal,
    notices: true,
    attached: ({ caller }) => attached.push(caller.principal?.id),
  })
  return { attachment, attached }
}

function toExtra(extra: Partial<Extra> = {}): Extra {
  // The test needs no other fields.
  return extra as Extra
}
