import { describe, expect, it } from "vitest"
import { run, runInShell, runWith, start } from "./start.js"

const wrong: readonly (readonly [title: string, args: readonly string[], told: string])[] = [
  [
    "an unknown flag",
    ["add", "--titel", "x"],
    'unknown flag "--titel": did you mean "--title"? (see "board add --help")',
  ],
  ["an unknown mode", ["--mpc"], 'unknown flag "--mpc": did you mean "--mcp"? (see "board --help")'],
  ["an unknown action", ["ad"], 'there is no action "ad": did you mean "add"? (see "board --help")'],
  ["a word beside a destructive action", ["claer"], 'there is no action "claer": expected one of "add"'],
  ["an unknown action with flags", ["ad", "--title", "x"], 'there is no action "ad": did you mean "add"?'],
  ["an unknown path", ["columns/tod/rename"], 'did you mean "columns/todo/rename"?'],
  ["a wrong type", ["add", "--title", "x", "--points", "two"], 'flag "--points" is "two": expected an integer'],
  [
    "a fraction for an integer",
    ["add", "--title", "x", "--points", "1.5"],
    'flag "--points" is "1.5": expected an integer',
  ],
  ["broken JSON in a flag", ["add", "--title", "x", "--owner", "{"], 'flag "--owner" is "{": expected a JSON object'],
  [
    "an unknown choice",
    ["add", "--title", "x", "--column", "dong"],
    'flag "--column" is "dong": did you mean "doing"?',
  ],
  ["an unknown choice", ["add", "--title", "x", "--column", "tomorrow"], 'expected one of "todo", "doing", "done"'],
  ["a missing field", ["add", "--points", "1"], '"add" needs "--title"'],
  ["a missing value", ["add", "--title"], 'flag "--title" has no value: expected "--title <string>"'],
  ["a schema violation", ["add", "--title", ""], 'the arguments of "add" are not valid: /title:'],
  ["a nested schema violation", ["add", "--title", "x", "--owner", "{}"], "/owner/name: is missing"],
  ["a positional argument", ["add", "Hi"], 'found "Hi": "add" takes flags only'],
  ["broken JSON", ["add", "--json", "{"], "--json is not JSON ("],
  ["JSON that is not an object", ["add", "--json", "[1]"], "--json is a JSON list: expected a JSON object"],
  ["an unknown field in JSON", ["add", "--json", '{"titel":"x"}'], '"add" has no field "titel": did you mean "title"?'],
  ["two modes at once", ["--mcp", "--http"], 'option "--mcp" cannot be used with option "--http [address]"'],
  ["nothing to do", [], 'expected an action or a mode (see "board --help")'],
  ["an unknown state", ["--watch", "cuont"], 'there is no state "cuont": did you mean "count"?'],
  ["an invalid address", ["--http", "x:y:z"], 'flag "--http" is "x:y:z": expected [host:]port'],
  ["an invalid port", ["--http", "65536"], 'flag "--http" is "65536": expected [host:]port'],
  [
    "a log that cannot be written",
    ["say", "--value", "x", "--log", "/no/such/folder"],
    'flag "--log" is "/no/such/folder"',
  ],
  ["an unknown shell", ["--completion", "tcsh"], '"--completion <shell>" argument "tcsh" is invalid'],
]

describe("a service as a command, used in a wrong way", () => {
  it.each(wrong)("reports on one line what is wrong, and exits with 2: %s", async (_, args, told) => {
    const { code, stdout, stderr } = await run("board", ...args)

    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toMatch(/^board: /)
    expect(stderr).toContain(told)
  })

  it.each([
    ["broken JSON", '{"title":', 'standard input is not JSON (Unexpected end of JSON input): "add" takes the fields'],
    ["JSON that is not an object", '"title"', 'standard input is the JSON value "title"'],
    ["an unknown field", '{"title":"x","pints":1}', '"add" has no field "pints": did you mean "points"?'],
    ["a wrong type", '{"title":1}', '/title: found "number", expected "string"'],
    ["too much", `"${"x".repeat(10_000_000)}"`, "standard input is more than 100000 bytes"],
  ])("reports invalid piped input on one line, and exits with 2: %s", async (_, input, told) => {
    const { code, stdout, stderr } = await runWith({ input }, "board", "add")

    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(told)
  })

  it.each(["--mcp", "--http"])("exits with 2 on %s if it is turned off", async (mode) => {
    expect(await runWith({ env: { NO_MCP: "1" } }, "board", mode)).toEqual({
      code: 2,
      stdout: "",
      stderr: `board: "${mode}" is turned off: "board" is only a command, not an MCP server\n`,
    })
  })
})

describe("standard input", () => {
  it("may begin with a byte order mark", async () => {
    const { code, stderr } = await runWith({ input: '\uFEFF{"title":"tea"}' }, "board", "add")

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  })

  it("that is silent is reported, and awaited", async () => {
    const board = start("board", "add")

    await board.says(/board: "add" waits for standard input: end it with Ctrl\+D/, "stderr")
    board.write('{"title":"tea"}')
    board.leave()

    expect((await board.ended).code).toBe(0)
  })
})

describe("standard output", () => {
  it.each([["add", "--title", "tea"], ["--describe"], ["--help"]])(
    "that cannot be written fails the command: %s",
    async (...args) => {
      const { code, stderr } = await runInShell('exec "$0" "$@" > /dev/full', "board", ...args)

      expect(stderr).toMatch(/^board: standard output cannot be written: ENOSPC: no space left on device/m)
      expect(code).toBe(1)
    },
  )
})

describe("the word help", () => {
  it.each([[["help"]], [["help", "add"]]])("works like --help: %j", async ([word, ...rest]) => {
    const asked = await run("board", String(word), ...rest)
    const usual = await run("board", ...rest, "--help")

    expect(asked).toEqual(usual)
    expect(asked.code).toBe(0)
  })
})
