import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createTestClient } from "@x/testing"
import { describe, expect, it, onTestFinished } from "vitest"
import { createNotes } from "./notes.js"
import { openStore } from "./store.js"
import { readUsers } from "./users.js"

/** Opens a store in its own folder, with a model's client of one user's notes. */
async function open(user = "ann") {
  const folder = await mkdtemp(join(tmpdir(), "notes-"))
  const file = join(folder, "notes.json")
  const store = await openStore(file)
  const client = await createTestClient(createNotes(store.notesOf(user)))
  onTestFinished(async () => {
    await client.close()
    await store.written()
    await rm(folder, { recursive: true })
  })
  return { client, file, store }
}

describe("the notes", () => {
  // Begin here. The client is a real one, as a model's host has it, connected in memory.
  it("can be removed once there are some", async () => {
    const { client } = await open()
    // `list` returns what the model can call now. There is nothing to remove yet: see `when` in notes.ts.
    expect(await client.list()).not.toContain("remove")

    // The model calls an action.
    await client.call("add", { text: "Buy tea" })

    // These two wait for notifications: the list has a new tool, and the state a new value.
    await client.whenListed("remove")
    expect(await client.whenTold("notes")).toMatchObject([{ text: "Buy tea" }])
  })

  it("name a missing note", async () => {
    const { client } = await open()
    await client.call("add", { text: "Buy tea" })

    const { outcome } = await client.call("remove", { id: "nothing" })

    expect(outcome).toMatchObject({ ok: false, message: 'there is no note "nothing"' })
  })

  it("are all removed only if the person agrees", async () => {
    const { client } = await open()
    await client.call("add", { text: "Buy tea" })

    expect((await client.call("clear", {}, { answers: "decline" })).outcome.ok).toBe(false)
    const { asked } = await client.call("clear", {}, { answers: "accept" })

    expect(asked).toEqual(["Remove all 1 notes?\n\nAction: clear"])
    expect(await client.read("notes")).toEqual([])
  })

  it("are in the file once a call has returned", async () => {
    const { client, file } = await open("ann")

    await client.call("add", { text: "Buy tea" })

    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ ann: [{ text: "Buy tea" }] })
  })
})

describe("the file", () => {
  it("is named if it is not JSON", async () => {
    const { file } = await open()
    await writeFile(file, "{")

    await expect(openStore(file)).rejects.toThrow(`${file} is not JSON`)
  })

  it("keeps another program's changes, and the call says so", async () => {
    const { client, file } = await open()
    await writeFile(file, "{}")

    const { outcome } = await client.call("add", { text: "Buy tea" })

    expect(outcome).toMatchObject({ ok: false, code: "not_saved", message: expect.stringContaining("another program") })
    expect(await readFile(file, "utf8")).toBe("{}")
    expect(await client.read("notes")).toEqual([])
  })
})

describe("users", () => {
  it("see their own notes only", async () => {
    const { store } = await open()
    const adapter = createMcpAdapter((principal) => createNotes(store.notesOf(principal?.id ?? "me")))
    onTestFinished(adapter.close)
    const ann = await createTestClient(adapter, { principal: { id: "ann" } })
    const bob = await createTestClient(adapter, { principal: { id: "bob" } })

    await ann.call("add", { text: "Buy tea" })

    expect(await ann.read("notes")).toMatchObject([{ text: "Buy tea" }])
    expect(await bob.read("notes")).toEqual([])
    await ann.close()
    await bob.close()
  })

  it("have a key each", () => {
    const users = readUsers("ann=0123456789abcdef, bob=fedcba9876543210")

    expect(users.get("fedcba9876543210")).toEqual({ id: "bob" })
  })

  it.each([",", " ", "ann=short", "ann", "=0123456789abcdef", "ann=0123456789abcdef,"])(
    "are rejected if %j is not a valid list",
    (text) => {
      expect(() => readUsers(text)).toThrow("expected name=key,name=key")
    },
  )

  it("cannot share a key", () => {
    expect(() => readUsers("ann=0123456789abcdef,bob=0123456789abcdef")).toThrow('"ann" and "bob" have the same key')
  })

  it("may have keys with any characters", () => {
    expect([...readUsers("ann=MDEyMzQ1Njc4OWFiYw==").keys()]).toEqual(["MDEyMzQ1Njc4OWFiYw=="])
  })
})
