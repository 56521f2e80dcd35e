import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { runWith } from "./start.js"

/** Creates a home folder with an agent configuration, so that nothing outside the test is read. */
function home(config?: object): { readonly env: Record<string, string>; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "home-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, "set-up"))
  if (config !== undefined) writeFileSync(join(folder, "set-up", "config.json"), JSON.stringify(config))
  return { env: { XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }, folder }
}

describe("the configuration of an agent", () => {
  it("comes from a file, the environment and flags, and the last wins", async () => {
    const { env } = home({ url: "http://file", retries: 1, names: ["file"] })
    const seen = async (variables: object, ...args: string[]) =>
      JSON.parse((await runWith({ env: { ...env, ...variables } }, "settled", ...args)).stdout).config

    expect(await seen({})).toEqual({ url: "http://file", retries: 1, names: ["file"] })
    const variables = { SET_UP_URL: "http://variable", SET_UP_RETRIES: "2", THE_NAMES: '["variable"]' }
    expect(await seen(variables)).toEqual({ url: "http://variable", retries: 2, names: ["variable"] })
    expect(await seen(variables, "--set", "url=http://flag?a=b", "--set", "retries=3")).toEqual({
      url: "http://flag?a=b",
      retries: 3,
      names: ["variable"],
    })
  })

  it("comes from the named file, which must exist", async () => {
    const { env, folder } = home({ url: "http://file" })
    const file = join(folder, "other.json")
    writeFileSync(file, '{"retries":9}')

    const { stdout } = await runWith({ env }, "settled", "--config", file)
    expect(JSON.parse(stdout).config).toEqual({ url: "http://localhost", retries: 9 })
    expect(await runWith({ env }, "settled", "--config", `${file}x`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("cannot be read"),
    })
  })

  it.each<[string, [config: object, ...args: string[]], string]>([
    ["an invalid value", [{ retries: -1 }], '"retries" from file "'],
    ["an unknown name", [{ retrys: 1 }], 'has the unknown setting "retrys": did you mean "retries"?'],
    ["an unknown flag", [{}, "--set", "uri=x"], 'has the unknown setting "uri": did you mean "url"?'],
    ["a flag without a name", [{}, "--set", "x"], 'flag "--set" has no setting: expected name=value'],
    ["a secret in a flag", [{}, "--set", "apiKey=hunter22"], '"apiKey" is secret'],
    ["an invalid secret", [{ apiKey: "pwd1" }], "the value is secret and not shown"],
  ])("rejects %s, with exit code 2 and one line", async (_name, [config, ...args], fault) => {
    const { code, stdout, stderr } = await runWith({ env: home(config).env }, "settled", ...args)

    expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 2, stdout: "", lines: 2 })
    expect(stderr).toContain(fault)
    expect(stderr).not.toMatch(/hunter22|pwd1/)
  })

  it("names the variable of a missing setting, before a server starts", async () => {
    const env = { ...home().env, NEEDS_KEY: "1" }

    expect(await runWith({ env }, "settled", "--mcp")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining('environment variable "SET_UP_API_KEY"'),
    })
    expect(await runWith({ env }, "settled", "--help")).toMatchObject({ code: 0 })
  })

  it("shows a secret in no message and no log, even if an action throws it", async () => {
    const { env, folder } = home({ apiKey: 'hunter"22' })
    const log = join(folder, "calls.jsonl")

    const said = [
      await runWith({ env }, "settled", "leak", "--yes"),
      await runWith({ env }, "settled", "leak", "--yes", "--log", log),
      await runWith({ env }, "settled", "leak", "--yes", "--log", "-"),
      await runWith({ env }, "settled", "--help"),
      await runWith({ env }, "settled", "--describe"),
      await runWith({ env }, "settled"),
    ]

    expect([...said.map(({ stdout, stderr }) => stdout + stderr), readFileSync(log, "utf8")].join("")).not.toContain(
      "hunter",
    )
    expect(said[0]?.stderr).toContain("no access with ***")
    expect(JSON.parse(said[5]?.stdout ?? "")).toMatchObject({ key: 9, config: { url: "http://localhost" } })
  })

  it("contains only the requested environment variables", async () => {
    const env = { ...home().env, WANTED: "here", UNWANTED: "there" }
    const { stdout } = await runWith({ env }, "settled")

    expect(JSON.parse(stdout)).toMatchObject({
      environment: { WANTED: "here" },
      seen: { url: "http://localhost", environment: { WANTED: "here" } },
    })
    expect(JSON.parse((await runWith({ env: { ...env, INNER_DEPTH: "7" } }, "settled", "deeper")).stdout)).toEqual({
      depth: 7,
      environment: {},
    })
  })

  it("is checked for linked agents as well, before anything runs", async () => {
    expect(await runWith({ env: { ...home().env, INNER_DEPTH: "deep" } }, "settled")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"depth" from environment variable "INNER_DEPTH" is "deep"'),
    })
  })
})

describe("agents that are only invoked", () => {
  it("are not listed, and their failures are reported", async () => {
    const { env } = home()
    const { stdout } = await runWith({ env }, "settled", "--describe")
    const { code, stderr } = await runWith({ env }, "settled", "fault")

    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toEqual([
      "deeper",
      "fault",
      "find",
      "leak",
      "note",
      "set-up",
    ])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("inner fault") })
  })

  it("keep each tool's own hints", async () => {
    const { stdout } = await runWith({ env: home().env }, "settled", "--describe")
    const hints = JSON.parse(stdout).tools.map(({ name, annotations }: { name: string; annotations: object }) => [
      name,
      annotations,
    ])

    expect(Object.fromEntries(hints)).toMatchObject({
      "set-up": { readOnlyHint: true },
      leak: { destructiveHint: true },
      note: {},
    })
  })
})

describe("notes", () => {
  it("are found by another process", async () => {
    const { env } = home()
    await runWith({ env }, "settled", "note", "--text", "tea at five")
    await runWith({ env }, "settled", "note", "--text", "coffee at six")

    expect((await runWith({ env }, "settled", "find", "--text", "tea")).stdout).toBe('["tea at five"]\n')
    expect(await runWith({ env }, "settled", "find")).toEqual({
      code: 0,
      stdout: '["coffee at six","tea at five"]\n',
      stderr: "",
    })
  })
})
