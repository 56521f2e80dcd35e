import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { introduce } from "./support/wire.js"

const PING = { jsonrpc: "2.0", id: 7, method: "ping" }
const ping = JSON.stringify(PING)
const pong = { jsonrpc: "2.0", id: 7, result: {} }

function start(program = "serve-board"): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [fileURLToPath(new URL(`support/${program}.mjs`, import.meta.url))])
}

/** Returns the server's answers to bytes in the given pieces, followed by the input's end. */
async function answersTo(...pieces: readonly (string | Uint8Array)[]): Promise<readonly unknown[]> {
  const child = start()
  for (const piece of pieces) await new Promise((resolve) => child.stdin.write(piece, resolve))
  child.stdin.end()
  return answersOf(child)
}

/** Returns all lines that a process writes until its output ends. */
async function answersOf({ stdout }: ChildProcessWithoutNullStreams): Promise<readonly unknown[]> {
  const output = (await stdout.toArray()).join("")
  return output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))
}

/** Returns the answer to a line, in one revision's session. */
async function answerIn(revision: string, line: string): Promise<unknown> {
  const child = start()
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const opening = { jsonrpc: "2.0", id: 0, method: "initialize", params: introduce(revision) }
  child.stdin.write(`${JSON.stringify(opening)}\n`)
  await answers.next()
  child.stdin.end(`${line}\n`)
  return JSON.parse((await answers.next()).value)
}

describe("the lines of stdio", () => {
  it.each([
    ["that end in CRLF", [`${ping}\r\n`]],
    ["that begin with a byte order mark", [`\uFEFF${ping}\n`]],
    ["of which the last has no end", [ping]],
    ["with blank ones among them", [`\n \r\n${ping}\n\n`]],
    ["that come a byte at a time", [...Buffer.from(`${ping}\n`)].map((byte) => Buffer.of(byte))],
  ])("are read, those %s", async (_, pieces) => {
    expect(await answersTo(...pieces)).toEqual([pong])
  })

  it("may be cut within a character", async () => {
    const bytes = Buffer.from(`${JSON.stringify({ ...PING, id: "é ключ 🙂" })}\n`)

    const answers = await answersTo(...[...bytes].map((byte) => Buffer.of(byte)))

    expect(answers).toEqual([{ ...pong, id: "é ключ 🙂" }])
  })

  it.each([
    ["no JSON", "{ no JSON", -32700, null],
    ["an end of JSON alone", `${ping}}`, -32700, null],
    ["a text", '"ping"', -32600, null],
    ["no revision of JSON-RPC", '{"id":7,"method":"ping"}', -32600, 7],
    ["another revision of JSON-RPC", '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
    ["null for an id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ["no method", '{"jsonrpc":"2.0","id":7}', -32600, 7],
    ["a list for parameters", '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32600, 7],
    ["an empty batch", "[]", -32600, null],
  ])("are answered where they hold %s, and the next is served", async (...[, line, code, id]) => {
    const answers = await answersTo(`${line}\n${ping}\n`)

    expect(answers).toMatchObject([{ id, error: { code, message: expect.any(String) } }, pong])
  })

  it("may be batches in the revision that supports them, answered as one", async () => {
    const other = { ...PING, id: 8 }

    const answer = await answerIn("2025-03-26", JSON.stringify([PING, other]))

    expect(answer).toEqual(expect.arrayContaining([pong, { ...pong, id: 8 }]))
  })

  it("are no batches in any other revision", async () => {
    expect(await answerIn("2025-06-18", JSON.stringify([PING]))).toMatchObject({ id: null, error: { code: -32600 } })
  })

  it("are rejected when too long, and the next is served", async () => {
    const long = Buffer.alloc(11 * 2 ** 20, "x")

    const answers = await answersTo(long, `\n${ping}\n`)

    expect(answers).toMatchObject([{ id: null, error: { code: -32600 } }, pong])
  })

  it("are answered even if the host ends its process in the same turn of the event loop", async () => {
    const child = start("serve-and-exit")
    child.stdin.write("{ no JSON\n")

    expect(await answersOf(child)).toMatchObject([{ id: null, error: { code: -32700 } }])
  })

  it("are answered in their order where many come at once", async () => {
    const ids = Array.from({ length: 500 }, (_, index) => index + 1)

    const answers = await answersTo(ids.map((id) => `${JSON.stringify({ ...PING, id })}\n`).join(""))

    expect(answers).toEqual(ids.map((id) => ({ ...pong, id })))
  })
})
