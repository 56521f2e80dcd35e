import { execFile, spawn } from "node:child_process"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { runInspector } from "./inspector.js"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../../../..")

/** A user's code. The folder holds nothing else but npm's packages. */
const AGENT = `
import { defineAgent, runAgent } from "@x/service-cli"

const agent = defineAgent({
  name: "word-count",
  version: "1.0.0",
  description: "Counts the words of a text",
  execute: ({ input }) => ({ result: input.split(/\\s+/).filter(Boolean).length }),
})
await runAgent(agent, import.meta)
`

describe("an agent in an empty folder, with the packages as npm installs them", () => {
  let folder: string
  let program: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "packed-"))
    program = join(folder, "word-count.mjs")
    const pack = ["--filter", "@x/service-cli...", "exec", "pnpm", "pack", "--pack-destination", folder]
    await run(process.execPath, [join(root, "tools/pnpm.mjs"), ...pack])
    const tarballs = (await readdir(folder)).filter((file) => file.endsWith(".tgz")).map((file) => join(folder, file))
    await writeFile(join(folder, "package.json"), "{}")
    await run(
      "npm",
      ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts", ...tarballs, "rxjs@7"],
      {
        cwd: folder,
        shell: process.platform === "win32",
      },
    )
    await writeFile(program, AGENT)
  }, 300_000)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("runs as a command", async () => {
    const { stdout } = await run(process.execPath, [program, "--context", "three little words"], { cwd: folder })

    expect(stdout).toBe("3\n")
  })

  it("serves its tool to the Inspector over stdio, which no client refuses", async () => {
    const options = ["--method", "tools/list", "--strict", "--format", "json"]
    const { code, stdout, stderr } = await runInspector([...options, "--", process.execPath, program, "--mcp"])

    expect(code, stderr).toBe(0)
    expect(stdout).toContain('"word-count"')
  })

  it("serves it over HTTP, to this machine only", async () => {
    const child = spawn(process.execPath, [program, "--http", "0"], { cwd: folder })
    onTestFinished(() => void child.kill("SIGKILL"))
    const url = await new Promise<string>((resolve, reject) => {
      child.once("exit", () => reject(new Error("it ended without telling its URL")))
      for (const output of [child.stdout, child.stderr]) {
        createInterface({ input: output }).on("line", (line) => {
          const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? []
          if (found !== undefined) resolve(found)
        })
      }
    })
    const client = new Client({ name: "test", version: "0" })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))

    const { content } = await client.callTool({ name: "word-count", arguments: { context: "one two" } })
    await client.close()
    // Another loopback address, where a server listening on all addresses would answer.
    await expect(fetch(url.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow()
    child.removeAllListeners("exit")
    child.kill("SIGTERM")

    expect(content).toMatchObject([{ type: "text", text: '{"result":2}' }])
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0)
  })
})
