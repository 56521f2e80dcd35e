import { createAgenticService, link } from "@x/agentic-service"
import { NEVER, of } from "rxjs"
import { describe, expect, it } from "vitest"
import { createRig } from "./catalogue.fixture.js"

describe("a service that has not emitted when the first list is due", () => {
  it.each([
    [{ states: NEVER, actions: NEVER, links: NEVER }, "the service has sent nothing"],
    [{ states: NEVER, actions: of({}), links: NEVER }, "states and links have not emitted"],
    [{ states: of({}), actions: NEVER, links: of({}) }, "actions have not emitted"],
  ])("is reported once, with its maps: %o", (maps, found) => {
    const page = { ...createAgenticService({ name: "page" }), ...maps }
    const { clock, diagnostics } = createRig(
      createAgenticService({ name: "board", links: { page: link({ service: page }) } }),
    )

    clock.advance(500)
    clock.advance(5_000)

    const message = `${found} within 500 ms: the rest is served; they follow as soon as they emit`
    expect(diagnostics).toMatchObject([{ code: "waiting", path: ["page"], message }])
  })
})
