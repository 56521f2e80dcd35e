// `pnpm rig template` runs this test in a new project with Jest and with `node:test`: the test kit must work with any runner.
import { deepStrictEqual } from "node:assert"
import { action, createAgenticService, state } from "@x/agentic-service"
import { createTestClient } from "@x/testing"
import { BehaviorSubject, map } from "rxjs"

// Jest's environment has no `node:test`, and other runners have no Jest globals.
const { test, afterEach } =
  process.env.JEST_WORKER_ID === undefined ? await import("node:test") : await import("@jest/globals")

const open = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

for (const era of ["legacy", "modern"]) {
  test(`a client of the ${era} era sees a tool come, and is asked before it goes`, async () => {
    const count$ = new BehaviorSubject(0)
    const service = createAgenticService({
      name: "counter",
      states: { count: state({ description: "The count", schema: { type: "number" }, value: count$ }) },
      actions: {
        up: action({ description: "Count up", execute: () => count$.next(count$.value + 1) }),
        reset: action({
          description: "Begin again",
          when: { is: count$.pipe(map(Boolean)), otherwise: "it is at the beginning" },
          confirm: () => `Give up ${count$.value}?`,
          execute: () => count$.next(0),
        }),
      },
    })
    const client = await createTestClient(service, { era })
    open.push(client)

    await client.call("up")
    await client.whenListed("reset")
    deepStrictEqual(await client.read("count"), 1)
    const { outcome } = await client.call("reset", {}, { answers: "accept" })
    await client.whenGone("reset")

    deepStrictEqual([outcome.ok, count$.value], [true, 0])
  })
}
