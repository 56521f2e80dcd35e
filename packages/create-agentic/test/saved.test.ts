import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Client } from "@modelcontextprotocol/client"
import { describe, expect, it } from "vitest"
import { makeProject, startServer } from "./project.fixture.js"

/** Adds notes one after another until a call fails. */
async function addUntilFailure(client: Client, text: (count: number) => string) {
  const confirmed: string[] = []
  for (;;) {
    const note = text(confirmed.length)
    const { isError, content } = await client.callTool({ name: "add", arguments: { text: note } })
    if (isError) return { confirmed, failure: JSON.stringify(content) }
    confirmed.push(note)
  }
}

function savedIn(folder: string): string[] {
  const file = join(folder, "notes.json")
  if (!existsSync(file)) return []
  const { me } = JSON.parse(readFileSync(file, "utf8"))
  return me.map(({ text }: { text: string }) => text)
}

/** Returns an environment in which writing the notes file fails at a step. */
function stopAt(step: number, how: "kill" | "full") {
  const stopper = new URL("../../mcp-adapter/test/support/stop-at-step.mjs", import.meta.url).href
  return { NODE_OPTIONS: `--import ${stopper}`, STOP_IN: "notes.json", STOP_AT: String(step), STOP_HOW: how }
}

describe("confirmed notes", () => {
  it.each([1, 10, 40])("survive a kill -9 while many are added, past the first %d", async (enough) => {
    const folder = makeProject()
    const server = startServer(folder)
    const client = await server.connect()
    const confirmed: string[] = []

    const callers = Array.from({ length: 4 }, async (_, caller) => {
      for (let count = 0; ; count += 1) {
        const note = `note ${count} of ${caller}`
        const { isError } = await client.callTool({ name: "add", arguments: { text: note } })
        if (!isError) confirmed.push(note)
        if (confirmed.length === enough) server.child.kill("SIGKILL")
      }
    })
    await Promise.all([server.ended, Promise.allSettled(callers)])

    expect(savedIn(folder)).toEqual(expect.arrayContaining(confirmed))
    const next = await startServer(folder).connect()
    expect((await next.callTool({ name: "add", arguments: { text: "one more" } })).isError).toBeFalsy()
    expect(savedIn(folder)).toEqual(expect.arrayContaining([...confirmed, "one more"]))
  })

  // The second change opens the file at step 6, writes at 7, flushes at 8, renames at 9, and is finished at 10.
  it.each([6, 7, 8, 9, 10])("survive a kill -9 before step %d of the next change", async (at) => {
    const folder = makeProject()
    const server = startServer(folder, { env: stopAt(at, "kill") })
    const client = await server.connect()

    await client.callTool({ name: "add", arguments: { text: "confirmed" } })
    await expect(client.callTool({ name: "add", arguments: { text: "killed" } })).rejects.toThrow()
    await server.ended

    expect(savedIn(folder)).toEqual(at === 10 ? ["confirmed", "killed"] : ["confirmed"])
  })

  it.each([5, 6, 7, 8])("survive a full disk at step %d of the next change, which fails", async (at) => {
    const folder = makeProject()
    const client = await startServer(folder, { env: stopAt(at, "full") }).connect()

    await client.callTool({ name: "add", arguments: { text: "confirmed" } })
    const failed = await client.callTool({ name: "add", arguments: { text: "failed" } })
    await client.callTool({ name: "add", arguments: { text: "later" } })

    expect(failed.isError).toBe(true)
    expect(JSON.stringify(failed.content)).toContain("ENOSPC: no space left on device; nothing was changed")
    expect(savedIn(folder)).toEqual(["confirmed", "later"])
    expect(readdirSync(folder)).not.toContain("notes.json.new")
  })

  it("survive a file that cannot grow, and the next call says why it failed", async () => {
    const folder = makeProject()
    const server = startServer(folder, { before: "ulimit -f 16" })
    const client = await server.connect()

    const { confirmed, failure } = await addUntilFailure(client, (count) => `${count} ${"x".repeat(1_000)}`)

    expect(confirmed.length).toBeGreaterThan(0)
    expect(failure).toContain("the notes could not be saved: EFBIG: file too large; nothing was changed")
    expect(savedIn(folder)).toEqual(confirmed)
    expect(readdirSync(folder)).not.toContain("notes.json.new")
    // The listed notes equal the saved ones, and a smaller change succeeds.
    const [{ uri } = { uri: "" }] = (await client.listResources()).resources
    const { contents } = await client.readResource({ uri })
    expect(JSON.stringify(contents).split('xxx\\"').length - 1).toBe(confirmed.length)
  })
})

it("names a notes file that it cannot read, and exits with 1", async () => {
  const folder = makeProject()
  const server = startServer(folder, { env: { STORE: "dist" } })

  expect((await server.ended)[0]).toBe(1)
  expect(server.said()).toMatch(/^EISDIR[^\n]+\n$/)
})

it("does not serve everybody if USERS names nobody", async () => {
  const server = startServer(makeProject(), { env: { USERS: "," } })

  expect((await server.ended)[0]).toBe(1)
  expect(server.said()).toMatch(/^USERS: expected name=key[^\n]+\n$/)
})
