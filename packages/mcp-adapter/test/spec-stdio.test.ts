import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { envelope, introduce } from "./support/wire.js"

describe("basic/transports/stdio", () => {
  it("writes only messages, one per line, and ends with its input [stdio-lines, stdio-end]", async () => {
    const child = start()
    const lines: string[] = []
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

    send({ id: 1, method: "tools/list", params: { _meta: envelope } })
    child.stdin.write("this is not JSON\n")
    send({ id: 2, method: "tools/call", params: { name: "refuse", _meta: envelope } })
    child.stdin.end()

    expect(await once(child, "close")).toEqual([0, null])
    expect(lines.map((line) => JSON.parse(line).jsonrpc)).toEqual(lines.map(() => "2.0"))
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(expect.arrayContaining([1, 2]))
  })

  it("ends while a call runs when its input ends [stdio-end]", async () => {
    const child = start("0")
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

    send({ id: 0, method: "initialize", params: introduce("2025-11-25") })
    send({ id: 1, method: "tools/call", params: { name: "wait", _meta: { progressToken: 1 } } })
    for await (const line of createInterface({ input: child.stdout })) if (line.includes("progress")) break
    child.stdin.end()
    const [, signal] = await once(child, "close")

    expect(signal).toBeNull()
  })
})

function start(...options: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [fileURLToPath(new URL("support/serve-board.mjs", import.meta.url)), ...options])
}
