import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCurl, startCurl } from "./curl.js"
import { blocks, read } from "./guide.js"
import { type Running, startServer } from "./serve.js"

const answered = blocks.flatMap(({ kind, text: command }, index) => {
  const answer = blocks[index + 1]
  const [, method] = /"method":"([^"]+)"/.exec(command) ?? []
  return kind === "shell" && answer?.kind === "json" ? [{ command, method, answer: answer.text }] : []
})
const [listen = "", announce = ""] = blocks
  .filter(({ kind, text }) => kind === "shell" && !answered.some(({ command }) => command === text))
  .map(({ text }) => text)

describe("The guide to curl", () => {
  let server: Running
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  it.each(["hello.ts", "serve.ts"])("shows the %s that is served here", (name) => {
    const shown = blocks.find(({ kind, text }) => kind === "ts" && text.startsWith(`// ${name}\n`))

    expect(shown?.text).toBe(`// ${name}\n${read(`../src/${name}`)}`)
  })

  it("has at least ten commands", () => {
    expect(answered.length + 2).toBeGreaterThanOrEqual(10)
  })

  it.each(answered)("shows what is printed for $method", async ({ command, answer }) => {
    const { printed } = await runCurl(command, server.url)

    expect(JSON.parse(printed)).toEqual(JSON.parse(answer))
  })

  it("shows what a listening client hears", async () => {
    const shown = blocks.find(({ kind }) => kind === "text")?.text.trimEnd()
    const events = shown?.split("\n\n") ?? []
    const curl = startCurl(listen, server.url)
    const lines = createInterface(curl.stdout)[Symbol.asyncIterator]()

    expect(await nextEvent(lines)).toBe(events[0])
    await runCurl(announce, server.url)
    expect(await nextEvent(lines)).toBe(events[1])

    expect(events).toHaveLength(2)
    curl.kill()
  })
})

/** Returns the next event, without keep-alive comments. */
async function nextEvent(lines: AsyncIterator<string, undefined>): Promise<string> {
  const event: string[] = []
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    if (line.value === "" && event.length > 0) break
    if (line.value !== "" && !line.value.startsWith(":")) event.push(line.value)
  }
  return event.join("\n")
}
