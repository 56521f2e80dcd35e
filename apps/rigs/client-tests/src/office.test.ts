import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { clients } from "./clients.js"
import { firstResources, firstTools, firstValue } from "./first.js"
import { type Office, openOverHttp, openOverStdio } from "./open-office.js"
import type { Peer, Tool } from "./peer.js"

const legs = clients.flatMap((client) => [
  { ...client, leg: "stdio", open: openOverStdio },
  { ...client, leg: "HTTP", open: openOverHttp },
])

describe.each(legs)("$client over $leg", ({ client, connect, era, open }) => {
  // The tests share one office, because a child process starts slowly, so each also sees changes of earlier tests.
  let office: Office | undefined
  let peer: Peer
  let other: Peer
  beforeAll(async () => {
    office = await open(connect)
    peer = office.peer
    other = office.other
  })
  afterAll(() => office?.close())

  it("connects in the newest era it knows", () => {
    expect(peer.era).toBe(era)
  })

  it("lists the tools of all linked services", async () => {
    const tools = namesOf(await peer.tools())

    expect(tools).toEqual(expect.arrayContaining(["audit", "board__add", "board__columns__todo__add", "get_state"]))
    expect(tools).not.toContain("board__archive")
  })

  it("calls a tool, whose answer is what its output schema says [structured-conforms]", async () => {
    const tools = await peer.tools()
    const answer = await peer.call("board__add", { title: "Water the plants" })

    expect(tools.find(({ name }) => name === "board__add")?.outputSchema).toMatchObject({ required: ["id"] })
    expect(answer).toMatchObject({ isError: false, structured: { id: expect.stringMatching(/^c\d+$/) } })
    expect(answer.text).toContain('"id"')
  })

  it("calls a tool by way of another", async () => {
    const answer = await peer.call("run_action", { name: "board__add_column", arguments: { title: "By the way" } })

    expect(answer.isError).toBe(false)
    expect(namesOf(await peer.tools())).toContain("board__columns__by_the_way__add")
  })

  it("is told what is wrong with its arguments [input-error]", async () => {
    const answer = await peer.call("board__add", { name: "Water the plants" })

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("title") })
  })

  it("learns why a tool fails, and what would do", async () => {
    const answer = await peer.call("board__add", { title: "Water the plants", column: "garden" })

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('choose from "todo"') })
  })

  it("learns why a tool is not there now", async () => {
    const answer = await peer.call("board__archive")

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("no card is finished") })
  })

  it("gets a protocol error for a tool that never was [tool-unknown]", async () => {
    await expect(peer.call("board__nothing")).rejects.toMatchObject({ code: -32602 })
  })

  it("receives a tool's progress, and of simultaneous reports the newest", async () => {
    const heard: number[] = []
    const onprogress = ({ progress }: { readonly progress: number }): void => {
      heard.push(progress)
      if (progress === 3) void other.call("sign")
    }

    const answer = await peer.call("audit", {}, { onprogress })

    expect(answer).toMatchObject({ isError: false, structured: { result: 3 } })
    expect(heard).toEqual([1, 3])
  })

  it("cancels a call, which aborts the tool", async () => {
    const audits = "agentic://office/audits"
    await other.follow(audits)
    const started = firstValue(other, audits, (count) => count === "1")
    const patience = new AbortController()
    const given = expect(peer.call("audit", {}, { signal: patience.signal })).rejects.toThrow()
    await started
    const stopped = firstValue(other, audits, (count) => count === "0")

    patience.abort()

    await given
    await stopped
  })

  it("is notified of new tools with no request in flight [list-changed]", async () => {
    const listed = firstTools(peer, (names) => names.includes("board__columns__waiting__add"))

    await other.call("board__add_column", { title: "Waiting" })

    expect(await listed).toContain("board__columns__waiting__remove")
  })

  it("is notified of removed tools", async () => {
    // Waits until the tool was listed: adding and removing it between two lists is no change.
    const seen = firstTools(peer, (names) => names.includes("board__columns__passing__add"))
    await other.call("board__add_column", { title: "Passing" })
    await seen
    const gone = firstTools(peer, (names) => !names.includes("board__columns__passing__add"))

    await other.call("board__columns__passing__remove")

    expect(await gone).toContain("board__add")
  })

  it("lists and reads states", async () => {
    expect(await peer.resources()).toEqual(
      expect.arrayContaining(["agentic://office/board/summary", "agentic://office/board/columns/todo/cards"]),
    )
    expect(await peer.templates()).toEqual([expect.stringMatching(/^agentic:\/\/office\//)])
    expect(await peer.read("agentic://office/board/summary")).toContain("Record a short demo")
  })

  it("gets a protocol error for an unknown state", async () => {
    const uri = "agentic://office/board/nothing"

    // SDK v2's client replaces the -32002 of a legacy server with its own code.
    const code = client === "SDK v1" ? -32002 : -32602
    await expect(peer.read(uri)).rejects.toMatchObject({ code, data: { uri } })
  })

  it("is notified of new states with no request in flight", async () => {
    const listed = firstResources(peer, (uris) => uris.includes("agentic://office/board/open/card"))

    await other.call("board__open_card", { id: "c1" })

    await listed
    expect(await peer.read("agentic://office/board/open/card")).toContain("Write the announcement")
  })

  it("is notified of the new value of a state that it follows", async () => {
    await peer.follow("agentic://office/board/cards")
    const value = firstValue(peer, "agentic://office/board/cards", (cards) => cards.includes("Call the printer"))

    await other.call("board__add", { title: "Call the printer" })

    expect(JSON.parse(await value)).toContainEqual(expect.objectContaining({ title: "Call the printer" }))
  })
})

function namesOf(tools: readonly Tool[]): readonly string[] {
  return tools.map(({ name }) => name)
}
