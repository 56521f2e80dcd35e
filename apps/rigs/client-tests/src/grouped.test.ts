import { firstValueFrom } from "rxjs"
import { filter } from "rxjs/operators"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clients } from "./clients.js"
import { connectV2Legacy } from "./connect-v2.js"
import { officeIn, URL_STATE } from "./open-office.js"
import type { Peer, Tool } from "./peer.js"

/** Returns the items that a tool offers. */
function itemsOf(tools: readonly Tool[], name: string): readonly string[] | undefined {
  const { inputSchema } = tools.find((tool) => tool.name === name) ?? {}
  return Object(Reflect.get(Object(inputSchema), "properties"))["item"]?.enum
}

describe("the exposure grouped", () => {
  let owner: Peer | undefined
  let url = ""
  // One office for all clients, because a child process starts slowly.
  beforeAll(async () => {
    owner = await connectV2Legacy(officeIn("grouped"))
    url = await owner.read(URL_STATE)
  })
  afterAll(() => owner?.close())

  const columns = clients.map((client, index) => ({ ...client, title: `Lane ${index}`, column: `lane_${index}` }))

  it.each(columns)("lets $client work on a named item, and learn of new ones", async ({ connect, title, column }) => {
    const peer = await connect({ url })
    expect(itemsOf(await peer.tools(), "board__columns__add")).toContain("todo")
    const next = firstValueFrom(
      peer.tools$.pipe(filter((tools) => itemsOf(tools, "board__columns__add")?.includes(column) === true)),
    )

    const made = await peer.call("board__add_column", { title })
    expect(made).toMatchObject({ isError: false, structured: { id: column } })
    expect(made.text).toContain(`board__columns__add (item: ${column})`)
    await next
    // The SDK compares the result with the output schema of the tool.
    const added = await peer.call("board__columns__add", { item: column, title: "Water the plants" })
    expect(added).toMatchObject({ isError: false, structured: { id: expect.stringMatching(/^c\d+$/) } })
    const own = await peer.call(`board__columns__${column}__rename`, { title: "Renamed" })
    expect(own.isError).toBe(false)
    await peer.close()
  })
})
