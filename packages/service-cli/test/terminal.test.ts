import { describe, expect, it } from "vitest"
import { run, startOnTerminal } from "./start.js"

/** The pieces that `escapes.mjs` puts into its texts: as sent, which must not reach a terminal, and as a person sees them. */
const SENT = ["\u001b[2K\u001b[1A", "\rSave", "\u009b", "\u202e", "\u0007"]
const SEEN = String.raw`\x1b[2K\x1b[1A\x0dSave your work?\x9b8m\u202e\x07`
const SEEN_ON_A_LINE = SEEN.replace(String.raw`\x0d`, " ")

/** Removes white space, because a terminal breaks lines anywhere. */
const unwrapped = (said: string): string => said.replace(/\s+/g, "")

function expectHarmless(said: string): void {
  expect(SENT.filter((piece) => said.includes(piece))).toEqual([])
}

describe("on a terminal, a service's text is shown and not obeyed", () => {
  it.each([
    ["a text result", ["say"], `Said ${SEEN}`],
    ["a content block", ["show"], `Block ${SEEN}`],
    ["a JSON result", ["show"], String.raw`"value": "\u001b[2K\u001b[1A\rSave your work?\u009b8m\u202e\u0007"`],
    ["a failure", ["fail"], `Failed ${SEEN}`],
    ["the recovery of a failure", ["fail"], `Recover ${SEEN}`],
    ["a thrown error", ["throw"], `Thrown ${SEEN_ON_A_LINE}`],
    ["the help of the command", ["--help"], `Service ${SEEN}`],
    ["the help of one action", ["say", "--help"], `Say ${SEEN}`],
    ["the help of a flag", ["work", "--help"], SEEN],
    ["the description", ["--describe"], `State ${SEEN_ON_A_LINE}`],
  ])("%s", async (_name, args, seen) => {
    const { stdout } = await startOnTerminal("escapes", ...args).ended

    expectHarmless(stdout)
    expect(unwrapped(stdout)).toContain(unwrapped(seen))
  })

  it("a log line", async () => {
    const { stdout } = await startOnTerminal("escapes", "throw", "--log", "-").ended

    expectHarmless(stdout)
    expect(unwrapped(stdout)).toContain(
      unwrapped(String.raw`"message":"Thrown \u001b[2K\u001b[1A\rSave your work?\u009b8m\u202e\u0007"`),
    )
  })

  it("a watched state", async () => {
    const watching = startOnTerminal("escapes", "--watch", "words")
    await watching.says(/Save your work/)
    watching.write("\u0003")

    expectHarmless((await watching.ended).stdout)
  })

  it("a confirmation", async () => {
    const asking = startOnTerminal("escapes", "remove")
    await asking.says(/Yes/)
    asking.write("n")
    const { code, stdout } = await asking.ended

    expectHarmless(stdout)
    expect(unwrapped(stdout)).toContain(unwrapped("Delete everything?"))
    expect({ code, removed: stdout.includes("removed") }).toEqual({ code: 1, removed: false })
  })

  it("a form, whose answer arrives as typed", async () => {
    const asking = startOnTerminal("escapes", "name")
    await asking.says(/Who\?/)
    await asking.says(/Name /)
    asking.write("Ann\r")
    const { code, stdout } = await asking.ended

    expectHarmless(stdout)
    expect({ code, named: stdout.includes('named {"who":{"name":"Ann"}}') }).toEqual({ code: 0, named: true })
  })

  it("progress", async () => {
    const { code, stdout } = await startOnTerminal("escapes", "work").ended

    expectHarmless(stdout)
    expect(code).toBe(0)
    expect(unwrapped(stdout)).toContain(unwrapped(String.raw`Step \x1b[2K\x1b[1A`))
  })
})

describe("a table", () => {
  it("is no wider than the terminal, and omits nothing", async () => {
    const { stdout } = await startOnTerminal("board", "--describe").ended
    const lines = stdout.split(/\r?\n/)

    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(unwrapped(stdout)).toContain("estimate?=json")
  })
})

describe("in a pipe", () => {
  it("a text is unchanged", async () => {
    expect((await run("escapes", "say")).stdout).toBe("Said \u001b[2K\u001b[1A\rSave your work?\u009b8m\u202e\u0007\n")
  })

  it("JSON has the same value, without characters that a terminal would obey", async () => {
    const { stdout } = await run("escapes", "show")

    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toEqual({
      value: "\u001b[2K\u001b[1A\rSave your work?\u009b8m\u202e\u0007",
    })
    expectHarmless(stdout.split("\n")[0] ?? "")
  })

  it("messages to people are still harmless, because somebody may read them later", async () => {
    expectHarmless((await run("escapes", "fail")).stderr)
  })
})
