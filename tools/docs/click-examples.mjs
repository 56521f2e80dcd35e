import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { openSite } from "./open-site.mjs"

/**
 * Clicks every live example of a built site in a real browser, and compares its output with the output on its page.
 *
 * @returns The number of clicked examples, and those with different output.
 */
export async function clickExamples(out, base) {
  const { browser, url, close } = await openSite(out, base)
  const wrong = []
  let clicked = 0
  try {
    for (const file of pagesWithExamples(out)) {
      const page = await browser.newPage()
      page.on("pageerror", (error) => wrong.push(`${file}: ${error.message}`))
      await page.goto(url + file, { waitUntil: "networkidle" })
      for (const example of await page.locator(".live-example").all()) {
        const expected = await example
          .locator("xpath=following-sibling::div[contains(@class,'language-text')][1]//code")
          .textContent()
        await example.getByRole("button").click()
        const printed = await readUntil(example.locator("pre"), (text) => toWords(text) === toWords(expected))
        clicked += 1
        if (toWords(printed) !== toWords(expected))
          wrong.push(`${file}, example ${clicked}: expected\n${expected}\nprinted\n${printed}`)
      }
      await page.close()
    }
  } finally {
    await close()
  }
  return { clicked, wrong }
}

/** Waits for later output, as long as a slow machine may need. */
async function readUntil(place, isThere) {
  let text = ""
  for (const end = Date.now() + 4_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    text = await place.textContent()
    if (isThere(text)) break
  }
  return text
}

/** Keeps only the words, because the page prints objects as JSON and Node prints them as JavaScript. */
function toWords(text) {
  return text.replaceAll(/["'`\s]/g, "")
}

function pagesWithExamples(out) {
  return readdirSync(out, { recursive: true })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".html") && readFileSync(join(out, file), "utf8").includes('class="live-example"'))
}
