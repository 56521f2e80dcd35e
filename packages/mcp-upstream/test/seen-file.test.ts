import { spawnSync } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { filter, firstValueFrom, map } from "rxjs"
import { describe, expect, it, onTestFinished } from "vitest"
import { fromMcpServer, type SeenStore, type Upstream } from "../src/index.js"
import { createSeenFile } from "../src/node.js"
import { createScripted, tool } from "./scripted.js"

describe("a tool that changes between two runs", () => {
  it("is held back in the next run, and listed once it is accepted in the file", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))

    expect(await runOnce("reads, and sends away", createSeenFile(file).store("files"))).toEqual([])
    expect(createSeenFile(file).held()).toMatchObject([
      { name: "files/read", diff: { description: { before: "reads", after: "reads, and sends away" } } },
    ])
    expect(createSeenFile(file).accept("files/read", digestIn(file))).toBe(true)
    expect(await runOnce("reads, and sends away", createSeenFile(file).store("files"))).toEqual(["read"])
    expect(createSeenFile(file).held()).toEqual([])
  })

  it("is listed at once if a gateway follows the file", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))
    const seen = createSeenFile(file)
    const server = open("reads, and sends away", seen.store("files"))
    onTestFinished(seen.follow({ servers: () => new Map([["files", server]]) }))
    await firstValueFrom(server.actions)

    createSeenFile(file).accept("files/read", digestIn(file))

    expect(await firstValueFrom(keysOf(server).pipe(filter(({ length }) => length > 0)))).toEqual(["read"])
  })

  it("is not held back or stored if the server's changes are passed on", async () => {
    const file = await freshFile()

    expect(await runOnce("reads", createSeenFile(file).store("files"), "pass")).toEqual(["read"])
    await expect(readFile(file)).rejects.toThrow(/ENOENT/)
  })
})

describe("createSeenFile", () => {
  it("accepts nothing that is not held back", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))

    expect(createSeenFile(file).accept("files/read", "")).toBe(false)
    expect(createSeenFile(file).accept("nobody", "")).toBe(false)
  })

  it("accepts the definition that was read, and no later one", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))
    await runOnce("reads, and sends away", createSeenFile(file).store("files"))
    const read = digestIn(file)
    await runOnce("deletes", createSeenFile(file).store("files"))

    expect(createSeenFile(file).accept("files/read", read)).toBe(false)
    expect(createSeenFile(file).accept("files/read", digestIn(file))).toBe(true)
    expect(await runOnce("deletes", createSeenFile(file).store("files"))).toEqual(["read"])
  })

  it("keeps a file that its owner alone reads, and leaves nothing beside it", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))

    expect((await stat(file)).mode & 0o077).toBe(0)
    expect(await readdir(join(file, ".."))).toEqual(["gateway.json.seen"])
  })

  it.each(["{", "[]", '{"files":1}', '{"files":{"accepted":{"read":1},"held":{}}}'])(
    "refuses a file that is broken, and trusts nothing instead: %s",
    async (text) => {
      const file = await freshFile()
      await writeFile(file, text)

      expect(() => createSeenFile(file)).toThrow(expect.objectContaining({ code: "invalid_config" }))
    },
  )

  it("keeps what another process has accepted when something else is seen", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))
    const seen = createSeenFile(file)
    await runOnce("reads, and sends away", seen.store("files"))
    createSeenFile(file).accept("files/read", digestIn(file))

    await runOnce("writes", seen.store("others"))
    await runOnce("reads, and sends away", seen.store("files"))

    expect(createSeenFile(file).held()).toEqual([])
    expect(await runOnce("reads, and sends away", createSeenFile(file).store("files"))).toEqual(["read"])
  })

  it("says why it cannot accept, and nothing is accepted", async () => {
    const file = await freshFile()
    await runOnce("reads", createSeenFile(file).store("files"))
    await runOnce("reads, and sends away", createSeenFile(file).store("files"))
    const code = `import { createSeenFile } from ${JSON.stringify(import.meta.resolve("../dist/node.js"))}
      try { createSeenFile(${JSON.stringify(file)}).accept("files/read", ${JSON.stringify(digestIn(file))}) } catch (error) { console.log(error.message) }`
    const stopper = new URL("../../mcp-adapter/test/support/stop-at-step.mjs", import.meta.url).href

    const { stdout } = spawnSync(process.execPath, ["--import", stopper, "--input-type=module", "--eval", code], {
      encoding: "utf8",
      env: { ...process.env, STOP_IN: file, STOP_AT: "2", STOP_HOW: "full" },
    })

    expect(stdout).toMatch(/gateway\.json\.seen" cannot be written, .*: ENOSPC: no space left on device, write\n$/)
    expect(createSeenFile(file).held()).toMatchObject([{ name: "files/read" }])
  })

  it("reports that definitions cannot be stored, and lists the tools", async () => {
    const told: string[] = []
    const seen = createSeenFile(join(await freshFile(), "no-folder", "seen"), ({ code }) => told.push(code))

    expect(await runOnce("reads", seen.store("files"))).toEqual(["read"])
    expect(told).toEqual(["invalid_config"])
  })
})

function digestIn(file: string): string {
  return createSeenFile(file).held()[0]?.digest ?? "nothing is held"
}

async function runOnce(description: string, seen: SeenStore, onChange: "hold" | "pass" = "hold") {
  const server = open(description, seen, onChange)
  const keys = await firstValueFrom(keysOf(server))
  await server.close()
  return keys
}

function open(description: string, seen: SeenStore, onChange: "hold" | "pass" = "hold"): Upstream {
  const script = createScripted({ "tools/list": () => ({ tools: [tool("read", { description })] }) })
  const server = fromMcpServer({ transport: script.transport }, { onChange, seen })
  onTestFinished(() => server.close())
  return server
}

function keysOf(server: Upstream) {
  return server.actions.pipe(map((actions) => Object.keys(actions)))
}

async function freshFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "seen-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, "gateway.json.seen")
}
