import { describe, expect, it } from "vitest"
import { type Ended, run, runWith, start } from "./start.js"

const board = (...args: readonly string[]): Promise<Ended> => run("board", ...args)
const piped = (input: string, ...args: readonly string[]): Promise<Ended> => runWith({ input }, "board", ...args)

describe("a service as a command", () => {
  it("calls an action with its fields as flags, and prints its result", async () => {
    const flags = ["--title", "Hi", "--column", "doing", "--points", "3", "--tags", "a", "--tags", "b", "--no-urgent"]
    const { code, stdout, stderr } = await board("add", ...flags, "--owner", '{"name":"Ann"}', "--estimate=1.5")

    expect(JSON.parse(stdout)).toEqual({
      title: "Hi",
      column: "doing",
      points: 3,
      tags: ["a", "b"],
      urgent: false,
      owner: { name: "Ann" },
      estimate: 1.5,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it.each(["columns/todo/rename", "columns__todo__rename"])(
    "calls an action of a linked service by %s",
    async (word) => {
      expect(await board(word, "--title", "Later")).toEqual({ code: 0, stdout: "todo is Later\n", stderr: "" })
    },
  )

  it("calls an action whose input is not an object", async () => {
    expect(await board("say", "--value", "hello")).toMatchObject({ code: 0, stdout: "hello\n" })
  })

  it("accepts the fields as JSON, which flags override", async () => {
    const { code, stdout } = await board("add", "--json", '{"title":"Hi","points":1,"log":"x"}', "--points", "2")

    expect({ code, card: JSON.parse(stdout) }).toEqual({ code: 0, card: { title: "Hi", points: 2, log: "x" } })
  })

  it("accepts the fields from piped input", async () => {
    expect(await piped('{"title":"Hi"}', "add")).toMatchObject({ code: 0, stdout: '{"title":"Hi"}\n' })
    expect(await piped('{"title":"Hi"}', "add", "--json", "-")).toMatchObject({ code: 0, stdout: '{"title":"Hi"}\n' })
  })

  it("uses piped input as the text of the field context, if there is one", async () => {
    expect(await piped("{ no JSON", "note")).toMatchObject({ code: 0, stdout: "{ no JSON\n" })
    expect(await piped("aloud", "note", "--loud")).toMatchObject({ code: 0, stdout: "ALOUD\n" })
    expect(await piped("piped", "note", "--context", "given")).toMatchObject({ code: 0, stdout: "given\n" })
  })

  it("exits with 1 if the action fails, and says why", async () => {
    const { code, stdout, stderr } = await board("lose")

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toBe("board: nothing to lose (nothing)\nboard: gain\n")
  })

  it.each([
    ["the action is unavailable", "archive", "no card is finished"],
    ["the action throws, whose cause only this person sees", "crash", "the disk is full"],
  ])("exits with 1 if %s, and says why", async (_, action, why) => {
    const { code, stderr } = await board(action)

    expect(code).toBe(1)
    expect(stderr).toContain(why)
  })

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("aborts an action on %s, and exits with 1", async (signal) => {
    const waiting = start("board", "wait")
    await waiting.says(/waiting/, "stderr")
    waiting.kill(signal)

    expect(await waiting.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("aborted by its caller") })
  })

  it("does not run an action that asks a person if there is no terminal", async () => {
    const { code, stdout, stderr } = await board("clear")

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toBe(
      'board: "clear" asks a person before it runs ("Delete 2 cards? Action: clear"): accept it with "--yes", or run it on a terminal\n',
    )
  })

  it("accepts a confirmation with --yes", async () => {
    expect(await board("clear", "--yes")).toMatchObject({ code: 0, stdout: "gone\n" })
    expect(await board("survey", "--yes")).toMatchObject({ code: 1, stderr: expect.stringContaining("How is it?") })
  })

  it("logs each call as a line of JSON, without its arguments", async () => {
    const { stderr } = await board("add", "--title", "secret", "--log", "-")

    expect(JSON.parse(stderr)).toMatchObject({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      tool: "add",
      duration: expect.any(Number),
      outcome: "ok",
    })
    expect(stderr).not.toContain("secret")
  })

  it("prints help for the command and each action", async () => {
    const { code, stdout } = await board("--help")
    const action = await board("add", "--help")

    expect(code).toBe(0)
    expect(stdout).toMatch(/ {2}--mcp .*\n/)
    expect(stdout).toContain("\nExamples:\n  board add --title=TITLE\n")
    expect(stdout).toMatch(/ {2}columns\/todo\/rename +Rename the column\n/)
    expect(action.stdout).toMatch(/--title <string> +What it says \(required\)\n/)
    expect(action.stdout).toMatch(/--column <choice> +\(one of todo, doing, done; default: todo\)\n/)
  })

  it("prints its version", async () => {
    expect(await board("--version")).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" })
  })

  it("runs onExit before it exits", async () => {
    expect(await runWith({ env: { SAY_BYE: "1" } }, "board", "say", "--value", "x")).toMatchObject({
      code: 0,
      stderr: "bye\n",
    })
  })
})
