import { openBrowser, servePage } from "@x/browser-rig"
import { expect, it } from "vitest"

it("mirrors the services of a worker and of a cross-origin frame, over their ports", async () => {
  const script = new URL("./message-port.fixture.ts", import.meta.url)
  const frame = await servePage(script)
  const app = await servePage(script, { given: { frame: frame.url } })
  const browser = await openBrowser()
  const page = await browser.newPage()

  await page.goto(app.url)
  await page.waitForFunction("globalThis.seen !== undefined")

  expect(await page.evaluate("globalThis.seen")).toEqual([
    { name: "worker", outcome: { ok: true, value: { in: "no document" } }, count: 1 },
    { name: "frame", outcome: { ok: true, value: { in: frame.origin } }, count: 1 },
  ])
  expect(frame.origin).not.toBe(app.origin)
  await browser.close()
  await app.close()
  await frame.close()
})
