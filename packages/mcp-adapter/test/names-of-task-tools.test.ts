import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService, link } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { connectInMemory } from "../src/border/in-memory.js"
import { createMcpAdapter } from "../src/create-adapter.js"

/** Connects to an application that manages tasks of its own, and has a long action behind a link once `when` is true. */
async function open() {
  const when = new BehaviorSubject(false)
  const board = createAgenticService({
    name: "board",
    actions: { get_task: action({ description: "Returns a task of the board", execute: () => ({ title: "Paint" }) }) },
    links: {
      reports: link({
        when,
        service: createAgenticService({
          name: "reports",
          actions: { build: action({ description: "Builds a report", long: true, execute: () => ({ pages: 3 }) }) },
        }),
      }),
    },
  })
  const diagnostics: (readonly [code: string, key: string | undefined])[] = []
  const adapter = createMcpAdapter(board, { notices: { windowMs: 0 }, tasks: { wordsAfterMs: 0 } })
  adapter.events.subscribe(
    (event) => event.type === "diagnostic" && diagnostics.push([event.diagnostic.code, event.diagnostic.key]),
  )
  const client = new Client({ name: "test", version: "0" })
  await client.connect(connectInMemory(adapter, { results: { catchUp: false }, tools: { runAction: false } }))
  onTestFinished(async () => {
    await client.close()
    adapter.close()
  })
  const names = async (): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)
  return { when, diagnostics, client, names }
}

describe("an action named like a tool for tasks", () => {
  it("keeps its name while no action is long", async () => {
    const { diagnostics, client, names } = await open()

    expect(await names()).toContain("get_task")
    expect(await client.callTool({ name: "get_task" })).toMatchObject({
      content: [{ text: expect.stringContaining("Paint") }],
    })
    expect(diagnostics).toEqual([])
  })

  it("gets another name once an action is long, and clients are told", async () => {
    const { when, diagnostics, client, names } = await open()
    await names()
    const told = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })

    when.next(true)
    await told
    const now = await names()
    const renamed = now.find((name) => name.startsWith("get_task_")) ?? ""

    expect(now).toEqual(expect.arrayContaining(["get_task", "cancel_task", "reports__build"]))
    expect(await client.callTool({ name: renamed })).toMatchObject({
      content: [{ text: expect.stringContaining("Paint") }],
    })
    expect(diagnostics).toEqual([["name_clash", "get_task"]])
  })

  it("leads to the tool for tasks from then on, also when nothing is long any more", async () => {
    const { when, client, names } = await open()
    when.next(true)
    await expect.poll(names).toContain("reports__build")
    const { content } = await client.callTool({ name: "reports__build" })
    const id = /task_id: (\w+)/.exec(JSON.stringify(content))?.[1]

    when.next(false)
    await expect.poll(names).not.toContain("reports__build")

    const result = await client.callTool({ name: "get_task", arguments: { id } })
    expect(JSON.stringify(result.content)).toContain('{\\"pages\\":3}')
  })
})
