import { expect, it } from "vitest"
import { openBrowser } from "./open-browser.js"
import { servePage } from "./serve-page.js"

it("opens a real page with its script and parameters", async () => {
  const page = await servePage(new URL("./title.fixture.ts", import.meta.url), { given: "a </script> title" })
  const browser = await openBrowser()

  const tab = await browser.newPage()
  await tab.goto(page.url)

  expect(await tab.title()).toBe("a </script> title")
  expect(await tab.evaluate("isSecureContext")).toBe(true)
  await browser.close()
  await page.close()
})
