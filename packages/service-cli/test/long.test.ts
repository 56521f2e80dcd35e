import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { firstValueFrom, fromEvent, ReplaySubject, takeUntil } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { start, startOnTerminal } from "./start.js"

/** Serves a long action over HTTP, which ends when it is told to, and writes a file of servers that names it. */
async function serveExport() {
  const end$ = new ReplaySubject<void>()
  const run = action({
    description: "Export all orders",
    long: true,
    async execute(_, { progress, signal }) {
      progress({ progress: 1, total: 2, message: "pages" })
      await firstValueFrom(end$.pipe(takeUntil(fromEvent(signal, "abort"))))
      return { file: "orders.csv" }
    },
  })
  const adapter = createMcpAdapter(createAgenticService({ name: "shop", actions: { export: run } }), {
    tasks: { patienceMs: 0, wordsAfterMs: 0 },
  })
  const server = await serveHttp(adapter, { port: 0 })
  const folder = mkdtempSync(join(tmpdir(), "long-"))
  onTestFinished(async () => {
    rmSync(folder, { recursive: true })
    await server.close()
    adapter.close()
  })
  const handed = new Promise<void>((resolve) => {
    adapter.events.subscribe(({ type }) => type === "call-handed" && resolve())
  })
  const file = join(folder, "gateway.json")
  writeFileSync(file, JSON.stringify({ mcpServers: { shop: { url: server.url } } }))
  return { file, handed, end: () => end$.next() }
}

describe("a long action of a server, as a command", () => {
  it("ends with its result, though the server has answered its call before", async () => {
    const { file, handed, end } = await serveExport()
    const command = start("gateway", file, "shop__export")
    await handed

    end()

    expect(await command.ended).toMatchObject({ code: 0, stdout: '{"file":"orders.csv"}\n' })
  })

  it("shows its progress on a terminal", async () => {
    const { file, end } = await serveExport()
    const command = startOnTerminal("gateway", file, "shop__export")
    await command.says(/1\/2.*pages/s)

    end()

    const { code, stdout } = await command.ended
    expect(code).toBe(0)
    expect(stdout).toContain("orders.csv")
  })
})
