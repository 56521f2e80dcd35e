import { describe, expect, it } from "vitest"
import { knownClients, recommendExposure, recommendSchemas } from "./known-clients.js"

describe("knownClients", () => {
  it("has each client once, by title, and each name once", () => {
    const titles = knownClients.map(({ title }) => title)
    const names = knownClients.flatMap((client) => client.names)

    expect(titles).toEqual([...titles].sort((one, other) => one.localeCompare(other, "en")))
    expect(new Set(titles).size).toBe(titles.length)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(knownClients)("gives $title a source, a date and a fitting exposure", (client) => {
    const { names, version, listsAgain, toolCap, exposure, evidence, source, checked, nameRules, schemas } = client

    expect(names.length).toBeGreaterThan(0)
    expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/)
    expect(new Date(checked).toISOString().slice(0, 10)).toBe(checked)
    expect(source).not.toBe("")
    // Only hosts that were run have a version.
    expect(version !== undefined).toBe(evidence === "seen")
    expect(toolCap === undefined || (Number.isInteger(toolCap) && toolCap > 0)).toBe(true)
    expect([nameRules, schemas]).not.toContain("")
    expect(exposure).toBe(listsAgain === "never" ? "stable" : "dynamic")
  })
})

describe("recommendExposure", () => {
  it.each([
    ["codex-mcp-client", 10, "stable"],
    ["opencode", 10, "dynamic"],
    ["qwen-cli-mcp-client-board", 10, "stable"],
    ["qwen-cli", 10, undefined],
    ["cursor-vscode", 40, "dynamic"],
    ["cursor-vscode", 41, "meta"],
    ["somebody", 10, undefined],
  ])("recommends %s with %i tools %s", (name, tools, exposure) => {
    expect(recommendExposure({ name, version: "0" }, { tools })).toBe(exposure)
  })
})

describe("recommendSchemas", () => {
  it.each([
    ["@cline/core", "verbatim"],
    ["claude-code", "anthropic"],
    ["codex-mcp-client", undefined],
    ["somebody", undefined],
  ])("recommends %s the profile %s", (name, profile) => {
    expect(recommendSchemas({ name })).toBe(profile)
  })
})
