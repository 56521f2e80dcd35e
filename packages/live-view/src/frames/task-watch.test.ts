import { Client } from "@modelcontextprotocol/client"
import { action, createAgenticService } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { filter, firstValueFrom, fromEvent, ReplaySubject, takeUntil } from "rxjs"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { toCaptions } from "../element/captions.js"
import { parseRecording } from "../recording/parse-recording.js"
import { record } from "../recording/record.js"
import type { CallFrame } from "./frame.js"

/** Records a call of a long action, which was answered with a handle. */
async function recordTask(show: boolean) {
  const steps$ = new ReplaySubject<"second" | "end">()
  const service = createAgenticService({
    name: "shop",
    actions: {
      export: action({
        description: "Export all orders",
        long: true,
        async execute(_, { progress, signal }) {
          const reached = (step: "second" | "end") =>
            firstValueFrom(
              steps$.pipe(
                filter((at) => at === step),
                takeUntil(fromEvent(signal, "abort")),
              ),
            )
          progress({ progress: 1, total: 2, message: "first" })
          await reached("second")
          progress({ progress: 2, total: 2, message: "second" })
          await reached("end")
          return { file: "orders.csv" }
        },
      }),
    },
  })
  const adapter = createMcpAdapter(service, { tasks: { wordsAfterMs: 1 } })
  const recorder = record(adapter, { show })
  const client = new Client({ name: "test", version: "0" })
  onTestFinished(() =>
    client.close().finally(() => {
      recorder.close()
      adapter.close()
    }),
  )
  await client.connect(connectInMemory(adapter))
  await recorder.ready
  await client.callTool({ name: "export" })
  const calls = (): readonly CallFrame[] =>
    (recorder.recording()?.frames ?? []).filter((frame): frame is CallFrame => frame.type === "call")
  const until = (expected: object) =>
    vi.waitFor(() => expect(calls().at(-1)).toMatchObject(expected), { timeout: 30_000, interval: 20 })
  return { adapter, recorder, calls, until, step: (to: "second" | "end") => steps$.next(to) }
}

describe("a call that was handed over", () => {
  it("goes on as a task, with its newest progress, until it ends", { timeout: 60_000 }, async () => {
    const { recorder, calls, until, step } = await recordTask(true)

    await until({ status: "handed", progress: "1/2 first" })
    step("second")
    await until({ status: "handed", progress: "2/2 second" })
    step("end")
    await until({ status: "ok", result: { file: "orders.csv" } })

    expect(calls().flatMap((call) => toCaptions(call).map(({ text }) => text))).toEqual([
      expect.stringMatching(/ calls export\.$/),
      "export goes on as a task.",
      expect.stringMatching(/^export completed in /),
    ])
    expect(parseRecording(recorder.toText()).frames).toEqual(JSON.parse(JSON.stringify(recorder.recording()?.frames)))
  })

  it("shows no progress where results are hidden", { timeout: 60_000 }, async () => {
    const { calls, until, step } = await recordTask(false)
    await until({ status: "handed" })

    step("second")
    step("end")
    await until({ status: "ok" })

    expect(JSON.stringify(calls())).not.toMatch(/first|second/)
  })

  it("ends where the adapter closes", { timeout: 60_000 }, async () => {
    const { adapter, until } = await recordTask(true)
    await until({ status: "handed" })

    adapter.close()

    await until({ status: "failed" })
  })
})
