import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { createWire, type Message, readAnswer } from "./support/wire.js"

const PATH = fileURLToPath(new URL("support/serve-tasks.mjs", import.meta.url))
const _meta = {
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: {},
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
}

/** Starts a server whose tasks are in a file, and which holds before a step. */
async function start(file: string, step = "") {
  const child = spawn(process.execPath, [PATH, file, step], { stdio: ["ignore", "pipe", "inherit"] })
  const lines = createInterface(child.stdout)
  const closed = Promise.all([once(child, "close"), once(lines, "close")])
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL")
    await closed
  }
  onTestFinished(kill)
  const heard: string[] = []
  lines.on("line", (line) => heard.push(line))
  const hears = async (words: RegExp): Promise<string> => {
    for (;;) {
      const found = heard.find((line) => words.test(line))
      if (found !== undefined) return found
      await once(lines, "line")
    }
  }
  const { modern } = createWire(await hears(/^http/))
  const send = (method: string, params: object, headers: Readonly<Record<string, string>> = {}): Promise<Message> =>
    readAnswer(modern({ id: 1, method, params: { _meta, ...params } }, { headers }))
  return {
    kill,
    hears,
    runs: () => heard.filter((line) => line === "ran").length,
    call: (name: string) => send("tools/call", { name }),
    get: async (taskId: string) => {
      const { result, error } = await send("tasks/get", { taskId }, { "mcp-name": taskId })
      return result ?? { unknown: error?.code }
    },
  }
}

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "tasks-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, "records.db")
}

const idOf = ({ result }: Message): string => String(result?.["taskId"])
const PATIENCE = { timeout: 30_000 }

describe("a task whose process is killed", () => {
  it.each(["create", "answer"])("was told to nobody before the step %s, and does not run again", async (step) => {
    const file = newFile()
    const first = await start(file, step)
    const answer = first.call("quick").then(
      () => "answered",
      () => "lost",
    )
    await first.hears(/held/)
    await first.kill()
    const second = await start(file)

    expect(await answer).toBe("lost")
    expect(first.runs()).toBe(1)
    const next = idOf(await second.call("quick"))
    await expect.poll(() => second.get(next), PATIENCE).toMatchObject({ status: "completed" })
    await second.kill()
    expect(second.runs()).toBe(1)
  })

  it.each([
    { when: "while it runs", name: "slow", step: "", reason: /3\/10 rows/ },
    { when: "between its end and the record of it", name: "quick", step: "end", reason: /unknown how much/ },
    { when: "while it asks", name: "asks", step: "", reason: /unknown how much/ },
  ])("has failed, with the reason, if that was $when", async ({ name, step, reason }) => {
    const file = newFile()
    const first = await start(file, step)
    const id = idOf(await first.call(name))
    if (step !== "") await first.hears(/held/)
    if (name === "asks") await expect.poll(() => first.get(id), PATIENCE).toMatchObject({ status: "input_required" })
    if (name === "slow") await expect.poll(() => first.get(id), PATIENCE).toMatchObject({ statusMessage: "3/10 rows" })
    const before = await first.get(id)
    await first.kill()
    const second = await start(file)

    expect(before).toMatchObject({ taskId: id })
    await expect
      .poll(() => second.get(id), PATIENCE)
      .toMatchObject({ taskId: id, status: "failed", error: { message: expect.stringMatching(reason) } })
    expect(await second.get(id)).not.toHaveProperty("inputRequests")
    await second.kill()
    expect(second.runs()).toBe(0)
  })

  it("keeps its end", async () => {
    const file = newFile()
    const first = await start(file)
    const id = idOf(await first.call("quick"))
    await expect.poll(() => first.get(id), PATIENCE).toMatchObject({ status: "completed" })
    const before = await first.get(id)
    await first.kill()
    const second = await start(file)

    expect(await second.get(id)).toEqual(before)
    await second.kill()
    expect(second.runs()).toBe(0)
  })
})
