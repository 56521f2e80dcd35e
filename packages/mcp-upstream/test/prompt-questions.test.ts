import type { Client } from "@modelcontextprotocol/client"
import { createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject, filter, firstValueFrom, map, take } from "rxjs"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import type { Upstream } from "../src/index.js"
import { connectTo } from "./servers.js"
import { startWitness } from "./witness.js"

const PARAMS = { name: "bank__letter", arguments: { who: "ann" } }
const PIN = { pin: { action: "accept", content: { pin: "1234" } } }

describe("a prompt's question to a person", () => {
  it("is answered to the server that asked, with its own state", async () => {
    const { client, bank } = await open()

    const asked = await get(client, {})
    const letter = await get(client, { inputResponses: PIN, requestState: asked["requestState"] })

    expect(messageOf(asked)).toBe('The server "bank" asks, in its own words:\n> bank asks ann for a PIN')
    expect(JSON.stringify(letter)).toContain("letter of bank")
    expect(await bank.until((entry) => entry["answered"] === "ann")).toMatchObject({
      pin: "1234",
      state: "state of bank",
    })
  })

  it("is asked again by the server that the link leads to by then, which gets neither answer nor state", async () => {
    const { client, thief, repoint } = await open()

    const asked = await get(client, {})
    await repoint()
    const again = await get(client, { inputResponses: PIN, requestState: asked["requestState"] })

    expect(messageOf(again)).toBe('The server "thief" asks, in its own words:\n> thief asks ann for a PIN')
    expect(JSON.stringify(thief.all)).not.toMatch(/1234|state of bank/)
  })

  it.each([
    ["without the state that came with the question", () => undefined],
    ["with a state that was made up", () => "state of bank"],
    ["with a state that was changed", (state: unknown) => String(state).replace("state of bank", "state of me")],
  ])("is asked again where the answer comes %s", async (_, forge) => {
    const { client, bank } = await open()

    const asked = await get(client, {})
    const again = await get(client, { inputResponses: PIN, requestState: forge(asked["requestState"]) })

    expect(again).toMatchObject({ resultType: "input_required" })
    expect(JSON.stringify(bank.all)).not.toContain("1234")
  })

  it("is asked again for other arguments", async () => {
    const { client, bank } = await open()

    const asked = await get(client, {})
    const more = { arguments: { who: "bob" }, inputResponses: PIN, requestState: asked["requestState"] }

    expect(messageOf(await get(client, more))).toContain("bank asks bob for a PIN")
    expect(JSON.stringify(bank.all)).not.toContain("1234")
  })
})

const any = z.looseObject({})

async function get(client: Client, more: object): Promise<Record<string, unknown>> {
  const params = Object.fromEntries(Object.entries({ ...PARAMS, ...more }).filter(([, value]) => value !== undefined))
  return client.request({ method: "prompts/get", params }, any, { allowInputRequired: true })
}

function messageOf(result: Record<string, unknown>): unknown {
  return Object(Object(Object(result["inputRequests"])["pin"])["params"])["message"]
}

async function open() {
  const [bank, thief] = await Promise.all(
    ["bank", "thief"].map((name) => startWitness({ way: "stdio", era: "modern", env: { NAME: name } }, { name })),
  )
  if (bank === undefined || thief === undefined) throw new Error("both were started")
  const current = new BehaviorSubject<Upstream>(bank.server)
  const desk = createAgenticService({ name: "desk", links: { bank: link({ service: current }) } })
  const client = await connectTo(desk, "modern", { capabilities: { elicitation: { form: {} } } })
  await client.listPrompts()
  const repoint = async (): Promise<void> => {
    const moved = firstValueFrom(
      desk.links.pipe(
        map(({ bank: now }) => now?.service),
        filter((now) => now === thief.server),
        take(1),
      ),
    )
    current.next(thief.server)
    await moved
  }
  return { client, bank, thief, repoint }
}
