import { readFileSync } from "node:fs"
import { openSite } from "./open-site.mjs"

/** Search questions, each with its answer's address. */
const QUESTIONS = JSON.parse(readFileSync(new URL("questions.json", import.meta.url), "utf8"))

/** How many hits a person reads. */
const READ = 3

/** The width of a small laptop. */
const WIDTH = 1_280

/**
 * Types every question into the search of a built site, in a real browser: its page must be among the first hits. Code of
 * the guides must fit the window of a small laptop.
 *
 * @returns How many questions were asked, and the faults.
 */
export async function askSite(out, base) {
  const { browser, url, close } = await openSite(out, base)
  const faults = []
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } })
    page.on("pageerror", (error) => faults.push(error.message))
    await page.goto(url, { waitUntil: "networkidle" })
    await page.locator("#local-search button").click()
    for (const [question, answer] of Object.entries(QUESTIONS)) {
      const hits = await search(page, question)
      if (!hits.some((hit) => hit.split("#")[0] === base.slice(0, -1) + answer))
        faults.push(`"${question}" found ${hits.join(", ")}, expected ${answer} among the first ${READ}`)
      if (hits.slice(0, -1).some((hit) => hit.includes("/api/")))
        faults.push(`"${question}" found ${hits.join(", ")}, expected guides before pages of the API`)
    }
    await page.keyboard.press("Escape")
    for (const address of new Set([...Object.values(QUESTIONS), "/"])) {
      await page.goto(url + address.slice(1), { waitUntil: "networkidle" })
      const cut = await page.evaluate(findCutCode)
      if (cut.length > 0) faults.push(`${address} at ${WIDTH} px cuts code: ${cut[0]}`)
    }
  } finally {
    await close()
  }
  return { asked: Object.keys(QUESTIONS).length, faults }
}

/** Returns the addresses of the first hits, once the list shows the question's own. */
async function search(page, question) {
  const box = page.locator(".VPLocalSearchBox")
  await box.locator("input").fill("")
  await box.locator(".result").first().waitFor({ state: "detached" })
  await box.locator("input").fill(question)
  await box.locator(".result, .no-results").first().waitFor()
  const hits = await box.locator("a.result").evaluateAll((links) => links.map((link) => link.getAttribute("href")))
  return hits.slice(0, READ)
}

/** Runs in the page: returns the lines of code that are wider than their block. */
function findCutCode() {
  const blocks = [...document.querySelectorAll(".vp-doc div[class*='language-'] pre")]
  return blocks
    .filter((block) => block.scrollWidth > block.clientWidth)
    .map((block) => block.textContent.split("\n").sort((a, b) => b.length - a.length)[0])
}
