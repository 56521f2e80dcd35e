import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { createBoardStore } from "../board/create-board-store.js"
import { createExporter } from "../board/create-exporter.js"
import { connect } from "../tour/connect.js"
import { textOf } from "../tour/text-of.js"
import { createBoardService } from "./create-board-service.js"

/** Opens a board whose exports last for the given time, and which answers early, with a real client. */
async function openExports(lastsMs: number) {
  const store = createBoardStore()
  const exporter = createExporter(store, lastsMs)
  const adapter = createMcpAdapter(createBoardService(store, exporter), { tasks: { wordsAfterMs: 1 } })
  const { client, close } = await connect(connectInMemory(adapter, { results: { catchUp: false } }))
  onTestFinished(() => close().finally(adapter.close))
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    textOf((await client.callTool({ name, arguments: { ...args } })).content)
  const begin = async (): Promise<string> => /task_id: (\w+)/.exec(await call("export_board"))?.[1] ?? ""
  return { exporter, call, begin }
}

describe("exportBoard", () => {
  it("goes on after its call is answered, and a model fetches the result later", async () => {
    const { call, begin } = await openExports(200)
    const id = await begin()

    expect(await call("get_task", { id, waitMs: 30_000 })).toContain("- c1: Write the announcement")
  })

  it("is cancelled by the person, and the model reads so", async () => {
    const { exporter, call, begin } = await openExports(600_000)
    const id = await begin()

    exporter.cancel()

    expect(await call("get_task", { id, waitMs: 30_000 })).toContain("the export was cancelled")
    expect(await firstValueFrom(exporter.percent$)).toBeUndefined()
  })

  it("ends the last export when the next one begins", async () => {
    const { exporter, call, begin } = await openExports(600_000)
    const first = await begin()

    await begin()

    expect(await call("get_task", { id: first, waitMs: 30_000 })).toContain("the export was cancelled")
    expect(await firstValueFrom(exporter.percent$)).toBeDefined()
  })

  it("stops when the model cancels it", async () => {
    const { exporter, call, begin } = await openExports(600_000)
    const id = await begin()
    expect(await firstValueFrom(exporter.percent$)).toBeDefined()

    await call("cancel_task", { id })

    await firstValueFrom(exporter.percent$.pipe(filter((percent) => percent === undefined)))
  })
})
