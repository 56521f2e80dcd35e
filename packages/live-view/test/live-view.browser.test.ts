import { readFileSync } from "node:fs"
import { describe, expect, it, vi } from "vitest"
import { record } from "../src/index.js"
import { openView } from "./open-view.fixture.js"

describe("a tried call in a browser", () => {
  it("has a form of its schema, which reports faults before the call", async () => {
    const { page, adapter, faults } = await openView()
    const calls: string[] = []
    adapter.events.subscribe((event) => event.type === "call-started" && calls.push(event.name))
    await page.getByRole("button", { name: /^paint/ }).click()
    await page.getByRole("button", { name: "Try it …" }).click()
    await page.getByLabel("colour").fill("r")
    await page.getByLabel("coats").fill("2")
    await page.getByLabel("finish").selectOption("gloss")

    await page.getByRole("button", { name: "Call paint" }).click()
    await page.getByRole("alert").getByText("colour: ").waitFor()
    expect(calls).toEqual([])
    // Events meanwhile are drawn, and keep the typed text.
    await adapter.call("toggle")
    await page.getByRole("button", { name: /^off/ }).and(page.locator(":not([data-away] *)")).waitFor()
    calls.length = 0
    await page.getByLabel("colour").fill("red")
    await page.getByRole("button", { name: "Call paint" }).click()

    const answer = page.getByRole("status").filter({ hasText: "Done" })
    await answer.waitFor()
    expect(JSON.parse((await answer.locator("pre").textContent()) ?? "")).toEqual({
      told: { colour: "red", coats: 2, finish: "gloss" },
    })
    expect(calls).toEqual(["paint"])
    expect(faults).toEqual([])
  })

  it.each([
    ["Yes", "Done", '"burnt": true'],
    ["No", "declined", "declined"],
  ])("puts the question of a destructive one to the person: %s", async (reply, ending, told) => {
    const { page, faults } = await openView()
    await page.getByRole("button", { name: /^burn/ }).click()
    await page.getByRole("button", { name: "Try it …" }).click()
    await page.getByRole("button", { name: "Call burn" }).click()
    await page.getByText("Burn it down?").waitFor()
    await page.getByRole("button", { name: reply, exact: true }).click()

    const answer = page.locator(".answer").filter({ hasText: ending })
    await answer.waitFor()
    expect(await answer.textContent()).toContain(told)
    expect(faults).toEqual([])
  })
})

describe("a recording in a browser", () => {
  it("is recorded, saved and played step by step, forward and back, with the same lists", async () => {
    const { page, adapter, openFile, tools, faults } = await openView()
    await page.getByRole("button", { name: "Record", exact: true }).click()
    await page.getByRole("button", { name: "Save recording" }).waitFor()
    await adapter.call("toggle")
    await vi.waitFor(async () => expect(await tools()).toContain("off"), 15_000)
    await adapter.call("off")
    await vi.waitFor(async () => expect(await tools()).not.toContain("off"), 15_000)
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save recording" }).click(),
    ])

    await openFile(readFileSync(await download.path(), "utf8"))
    await page.getByLabel("Recording", { exact: true }).waitFor()
    const seen = new Set<boolean>()
    const places = Number(await page.getByLabel("Position in the recording").getAttribute("max"))
    const captions: string[] = []
    for (let step = 0; step < places; step += 1) {
      await page.getByRole("button", { name: "Next step" }).click()
      await page.getByText(`${step + 1} / ${places}`, { exact: true }).waitFor()
      seen.add((await tools()).includes("off"))
      captions.push((await page.locator(".caption").textContent()) ?? "")
    }

    expect(seen).toEqual(new Set([false, true]))
    expect(captions.join(" ")).toMatch(/toggle completed.*off became available.*off completed.*off became unavailable/)
    expect(await tools()).not.toContain("off")
    await page.getByRole("button", { name: "First step" }).click()
    await page.getByText(`0 / ${places}`, { exact: true }).waitFor()
    await page.getByRole("button", { name: "Play" }).click()
    await page.getByText(`${places} / ${places}`, { exact: true }).waitFor()
    await page.getByRole("button", { name: "Back to live" }).click()
    await page.getByText("live", { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it("is rejected with a reason if it is invalid, and does no harm if it lies", async () => {
    const { page, adapter, openFile, faults } = await openView()
    const recorder = record(adapter, { show: true })
    await recorder.ready
    await adapter.call("toggle")
    recorder.close()
    const [head = "", ...lines] = recorder.toText().split("\n")
    const { start, ...rest } = JSON.parse(head)
    const toText = (change: object) =>
      [JSON.stringify({ ...rest, start: { ...start, ...change } }), ...lines].join("\n")

    for (const broken of [
      "<html>",
      toText({ tools: {} }),
      toText({ links: [{ path: [], canonical: [], service: "" }] }),
    ]) {
      await openFile(broken)
      await page.getByRole("alert").getByText("line 1 of the recording").waitFor()
      await page.getByRole("alert").getByRole("button", { name: "Dismiss" }).click()
    }
    // A graph that links to itself, a state with an undecodable name, and a tool whose name looks like markup.
    const links = [[""], ["", ""], ["a"], ["a", "a"]].map((path) => ({ path, canonical: path, service: "<b>" }))
    const note = { type: "change", at: 1, revision: 1, values: [{ uri: "agentic://%/%" }] }
    const tool = { ...start.tools[0], name: "<img src=x onerror=alert(1)>" }
    await openFile(`${toText({ links, tools: [tool] })}\n${JSON.stringify(note)}`)
    await page.getByLabel("Position in the recording").press("End")
    await page.getByRole("tab", { name: "Links" }).click()
    await page.locator("svg .node").first().waitFor()
    await page.getByRole("tab", { name: "Tools" }).click()

    await page.getByText(tool.name).first().waitFor()
    expect(await page.locator("img").count()).toBe(0)
    expect(faults).toEqual([])
  })
})
