import type { Client } from "@modelcontextprotocol/client"
import { createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom, map, ReplaySubject } from "rxjs"
import { describe, expect, it } from "vitest"
import type { Upstream } from "../src/index.js"
import { connectTo, type Era } from "./servers.js"
import { startWitness, type Witness } from "./witness.js"

const NOTES = "file:///notes"
const DRAFTS = "file:///drafts"
const ours = (key: string, uri: string): string => `agentic://desk/${key}/${encodeURIComponent(uri)}`

describe.each<[Era, Era]>([
  ["legacy", "modern"],
  ["modern", "legacy"],
])("two servers that have resources of the same URIs (%s, behind a client of the %s era)", (far, near) => {
  it("are told apart by what their results name, whether it is listed or not", async () => {
    const { client } = await openBoth(far, near)

    const { content } = await client.callTool({ name: "b__links", arguments: {} })
    const uris = content.map((block) => Object(block)["uri"] ?? Object(Object(block)["resource"])["uri"])

    expect(uris).toEqual([ours("b", NOTES), ours("b", DRAFTS), ours("b", NOTES)])
    expect(await textAt(client, ours("b", NOTES))).toEqual([ours("b", NOTES), "notes of b"])
    expect(await textAt(client, ours("b", DRAFTS))).toEqual([ours("b", DRAFTS), "drafts of b"])
    expect(await textAt(client, ours("a", DRAFTS))).toEqual([ours("a", DRAFTS), "drafts of a"])
  })

  it.each([NOTES, DRAFTS])("do not resolve %s without naming the server", async (uri) => {
    const { client, a, b } = await openBoth(far, near)
    await client.callTool({ name: "b__links", arguments: {} })

    await expect(client.readResource({ uri })).rejects.toThrow("not found")
    expect([...a.all, ...b.all].filter((entry) => "read" in entry)).toEqual([])
  })
})

describe("a server that alone has a resource", () => {
  it("also gives it by its original URI", async () => {
    const bank = await start("bank")
    const desk = createAgenticService({ name: "desk", links: { bank: link({ service: bank.server }) } })
    const client = await connectTo(desk, "modern")
    await client.listTools()

    expect(await textAt(client, NOTES)).toEqual([NOTES, "notes of bank"])
    expect(await textAt(client, DRAFTS)).toEqual([DRAFTS, "drafts of bank"])
  })
})

describe("a subscription to a resource whose link is pointed at another server", () => {
  it.each([NOTES, DRAFTS])(
    "to %s ends at the former server, begins at the new one, and reports only its changes",
    async (uri) => {
      const { client, bank, thief, repoint } = await openMoving()
      const heard = new ReplaySubject<string>()
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => heard.next(params.uri))
      const by = (key: string) => (entry: Readonly<Record<string, unknown>>) => entry[key] === uri

      await client.subscribeResource({ uri: ours("bank", uri) })
      await bank.until(by("subscribes"))
      await repoint()
      await Promise.all([bank.until(by("unsubscribes")), thief.until(by("subscribes"))])
      const before: string[] = []
      heard.subscribe((each) => before.push(each))
      await bank.server.execute("update", { who: uri })
      const sofar = before.length
      await thief.server.execute("update", { who: uri })
      await firstValueFrom(heard.pipe(filter((_, index) => index >= sofar)))
      await client.unsubscribeResource({ uri: ours("bank", uri) })
      await thief.until(by("unsubscribes"))

      expect(new Set(before)).toEqual(new Set([ours("bank", uri)]))
    },
  )
})

async function textAt(client: Client, uri: string): Promise<unknown> {
  const { contents } = await client.readResource({ uri })
  return [contents[0]?.uri, Object(contents[0])["text"]]
}

function start(name: string, era: Era = "legacy"): Promise<Witness> {
  return startWitness({ way: "stdio", era, env: { NAME: name } }, { name })
}

async function openBoth(far: Era, near: Era) {
  const [a, b] = [await start("a", far), await start("b", far)]
  const desk = createAgenticService({
    name: "desk",
    links: { a: link({ service: a.server }), b: link({ service: b.server }) },
  })
  const client = await connectTo(desk, near)
  await client.listTools()
  return { client, a, b }
}

async function openMoving() {
  const [bank, thief] = [await start("bank"), await start("thief")]
  const current = new BehaviorSubject<Upstream>(bank.server)
  const desk = createAgenticService({ name: "desk", links: { bank: link({ service: current }) } })
  const client = await connectTo(desk, "legacy")
  await client.listTools()
  const repoint = async (): Promise<void> => {
    current.next(thief.server)
    await firstValueFrom(
      desk.links.pipe(
        map(({ bank: now }) => now?.service),
        filter((now) => now === thief.server),
      ),
    )
  }
  return { client, bank, thief, repoint }
}
