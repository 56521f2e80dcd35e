import { action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom } from "rxjs"
import { describe, expect, it } from "vitest"
import { createChannelPair } from "./channel-pair.fixture.js"
import { mirrorService } from "./mirror-service.js"
import { offerService } from "./offer-service.js"

describe("offerService and mirrorService", () => {
  it("show the same states, actions and links", async () => {
    const count = new BehaviorSubject(1)
    const child = createAgenticService({ name: "child", states: { s: state({ schema: {}, value: "x" }) } })
    const service = createAgenticService({
      name: "board",
      states: { count: state({ description: "How many", schema: { type: "integer" }, value: count }) },
      actions: {
        add: action({
          description: "Add",
          input: { type: "object", properties: { by: { type: "number" } }, required: ["by"] },
          execute: ({ by }) => count.next(count.value + by),
        }),
      },
      links: { child: link({ service: child }), again: link({ service: child }) },
    })
    const { near, far } = createChannelPair()
    offerService(service, near)
    const mirror = mirrorService(far)
    await firstValueFrom(mirror.status.pipe(filter(({ state }) => state === "live")))
    const states = await firstValueFrom(mirror.states)
    expect(states["count"]).toMatchObject({ value: 1, description: "How many" })
    const links = await firstValueFrom(mirror.links)
    expect(links["child"]?.service).toBe(links["again"]?.service)
    expect(await mirror.execute("add", { by: 2 })).toEqual({ ok: true })
    expect((await firstValueFrom(mirror.states))["count"]?.value).toBe(3)
    expect(await mirror.execute("add", { by: "x" })).toMatchObject({ code: "invalid_input" })
    mirror.close()
  })
})
