import { once } from "node:events"
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createTestClient } from "@x/testing"
import fc from "fast-check"
import { filter, firstValueFrom } from "rxjs"
import { expect, it } from "vitest"
import { WebSocket } from "ws"
import { anyAttack, runsOf } from "../../service-wire/src/frame-fuzz.fixture.js"
import { PROTOCOL, TOKEN_PREFIX } from "../src/bridge-frames.js"
import { accept, createBoard, endLater, hasTabs } from "./accept.fixture.js"

const LIMITS = { members: 60, services: 8, frame: 20_000, held: 60_000, calls: 10, apps: 5, tabs: 5, pages: 20 }

/** The frames of a well-behaved page, the greeting included. */
const HONEST = [
  '!{"t":"page","app":"evil","tab":"t","load":"l","title":"Evil","focused":true}',
  '{"t":"hello","wire":1,"role":"offer"}',
  '{"t":"diff","n":1,"s":[{"id":1,"intro":{"name":"child"},"spoken":["states","actions","links"]},{"id":0,"intro":{"name":"evil"},"declared":[["actions","go",{"description":"Go"},1]],"actions":[["go",{}],["sure",{"d":{"description":"Sure"},"q":1}]],"states":[["s",{"d":{"schema":{}},"v":1}],["r",{"d":{"schema":{}},"r":1}]],"links":[["child",{"s":1}]],"why":[["actions","go","no"]],"spoken":["states","actions","links"]}],"live":true}',
  '{"t":"diff","n":2,"s":[{"id":0,"states":[["s",{"v":2}]],"actions":[["go",0]]}],"failures":[["states","s","broken"]],"gone":[1]}',
  '!{"t":"focus","focused":false,"title":"x"}',
  '{"t":"progress","id":0,"p":{"progress":1}}',
  '{"t":"result","id":0,"r":{"ok":true,"value":1}}',
  '{"t":"beat"}',
  '!{"t":"leave"}',
  '{"t":"bye","code":"left","reason":"done"}',
]

it("a page that sends anything is disconnected or continues within its limits, and other pages do not notice", async () => {
  const { pages, port, open } = await accept({ limits: LIMITS, reloadMs: 0, differMs: 0 })
  const neighbour = createBoard()
  await open(neighbour.service)
  const adapter = createMcpAdapter(pages)
  const client = await createTestClient(adapter)
  endLater(
    () => adapter.close(),
    () => client.client.close(),
  )
  await client.whenListed("board__add")
  const atRest = adapter.ledger.counts()

  await fc.assert(
    fc.asyncProperty(anyAttack(HONEST), async (attack) => {
      const evil = new WebSocket(`ws://127.0.0.1:${port}/mcp/pages`, [PROTOCOL, TOKEN_PREFIX + encode(pages.token)], {
        headers: { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      })
      evil.on("error", () => {})
      const closed = once(evil, "close")
      await once(evil, "open")
      for (const frame of attack) evil.send(frame)
      // Calls to the page are settled as soon as it is gone, whatever it has sent.
      const calls = ["evil__go", "evil__sure"].map((name) =>
        client.client.callTool({ name, arguments: {} }).then(String, String),
      )
      const before = neighbour.cards.value
      const { outcome } = await client.call("board__add")
      const { tools } = await client.client.listTools()
      const theirs = tools.filter(({ name }) => name.startsWith("evil"))
      evil.terminate()
      await closed
      await Promise.all(calls)
      await firstValueFrom(pages.tabs.pipe(filter((tabs) => tabs.length === 1)))

      expect(outcome).toMatchObject({ ok: true })
      expect(neighbour.cards.value).toBe(before + 1)
      expect(theirs.length).toBeLessThanOrEqual(LIMITS.members * 1.25)
    }),
    { numRuns: runsOf(60) },
  )

  await hasTabs(pages, 1)
  expect(await client.list()).toContain("board__add")
  expect(adapter.ledger.counts().call).toBe(atRest.call)
}, 60_000)

it("the host's adapter is freed in the end, whatever a page sends instead of answers", async () => {
  const { pages, open } = await accept()
  const service = createAgenticService({
    name: "app",
    states: { s: state({ schema: {}, value: 1 }) },
    actions: { go: action({ description: "Go", execute: () => {} }) },
  })
  const page = await open(service)
  const adapter = createMcpAdapter(pages)
  const client = await createTestClient(adapter)
  await client.whenListed("app__go")
  page.socket.send('{"t":"result","id":0,"r":null}')
  page.socket.send("{")
  await page.closed
  await client.whenGone("app__go")
  await client.close()
  adapter.close()

  expect(Object.values(adapter.ledger.counts()).filter((count) => count > 0)).toEqual([])
})

function encode(token: string | undefined): string {
  return Buffer.from(token ?? "").toString("base64url")
}
