import { describe, expect, it } from "vitest"
import { openView } from "./open-view.fixture.js"

/** Waits for what an element shows. */
function expectText(shown: { allTextContents(): Promise<readonly string[]> }) {
  return expect.poll(async () => (await shown.allTextContents()).join(" ").replace(/\s+/g, " "), { timeout: 15_000 })
}

describe("the tools of the live view", () => {
  it("stand by service, the available ones first, and the others with the reason", async () => {
    const { page, on$ } = await openView()
    const lines = page.locator('[aria-label="Tools"] li').locator("h2, .name")

    await expectText(lines).toMatch(/^room burn paint toggle wait off lamp lamp__dim /)
    await expectText(page.getByRole("button", { name: /^off/ })).toContain("it is off already")

    on$.next(true)
    await expectText(lines).toMatch(/^room burn off paint toggle wait lamp lamp__dim /)
  })

  it("are those that can be called now, if the person wants only them", async () => {
    const { page, on$ } = await openView()

    const names = page.locator('[aria-label="Tools"] .name')

    await page.getByRole("button", { name: "Available only" }).click()
    await expectText(names).toMatch(/^burn paint toggle wait lamp__dim /)
    on$.next(true)

    await expectText(names).toMatch(/^burn off paint toggle wait lamp__dim /)
  })

  it("say what an exposure lists, and what that costs", async () => {
    const { page } = await openView()
    const explanation = page.locator(".bar p")

    await expectText(explanation).toMatch(/^Lists the tools that are available now: [\d,]+ tokens\.$/)
    await page.getByRole("button", { name: "meta" }).click()

    await expectText(explanation).toMatch(/^Lists a few tools that find actions and run them by name: [\d,]+ tokens\.$/)
  })
})

describe("a call in the live view", () => {
  it("tells how long it has run so far, and how long it took", async () => {
    const { page, adapter, release } = await openView()
    const call = adapter.call("wait")
    const row = page.locator('[aria-label="Calls"] .row')

    // The time goes on without any event.
    await expectText(row).toMatch(/wait \d\d:\d\d:\d\d, running for [\d.]+ s/)
    release()
    await call

    await expectText(row).toMatch(/wait \d\d:\d\d:\d\d, [\d.]+ s/)
  })

  it("tells that it waits for a person, and what the person is asked", async () => {
    const { page } = await openView()
    await page.getByRole("button", { name: /^burn/ }).click()
    await page.getByRole("button", { name: "Try it …" }).click()

    await page.getByRole("button", { name: "Call burn" }).click()

    const row = page.locator('[aria-label="Calls"] .row')
    await expectText(row).toContain("waits for the person's answer: Burn it down?")
    await row.getByRole("button").click()
    await expectText(page.locator(".details .question")).toBe("Burn it down? Action: burn")
  })
})

describe("a state in the live view", () => {
  it("shows where its value differs from the one before", async () => {
    const { page, on$ } = await openView()
    await page.getByRole("tab", { name: /^States/ }).click()
    await page.getByRole("button", { name: /^on/ }).click()

    on$.next(true)

    await expectText(page.locator(".differences del")).toBe("false")
    await expectText(page.locator(".differences ins")).toBe("true")
  })
})

it("the live view keeps what it saw when its server is gone, and says so", async () => {
  const { page, crash, tools } = await openView()

  await crash()

  await expectText(page.locator(".fault")).toContain("The server does not answer")
  expect(await tools()).toContain("toggle")
})

it("details stand beside the lists of a wide window, and over them in a narrow one", async () => {
  const { page } = await openView()
  await page.getByRole("button", { name: /^paint/ }).click()
  const calls = page.locator('[aria-label="Calls, clients and activity"]')
  const overlap = async (): Promise<boolean> => {
    const [list, details] = [await calls.boundingBox(), await page.locator(".details").boundingBox()]
    return list !== null && details !== null && details.x < list.x + list.width
  }

  expect(await overlap()).toBe(false)
  await page.setViewportSize({ width: 900, height: 800 })
  expect(await overlap()).toBe(true)
})
