import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { extname, join, posix } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../workspace.mjs"

/**
 * Clicks every live example of a built site in a real browser, and compares what it prints with what its page says that it does.
 *
 * @returns How many were clicked, and those that print something else.
 */
export async function clickExamples(out, base) {
  const { openBrowser } = await import(pathToFileURL(join(root, "apps", "rigs", "browser", "dist", "index.js")).href)
  const server = await serve(out, base)
  const browser = await openBrowser()
  const wrong = []
  let clicked = 0
  try {
    for (const file of pagesWithExamples(out)) {
      const page = await browser.newPage()
      page.on("pageerror", (error) => wrong.push(`${file}: ${error.message}`))
      await page.goto(server.url + file, { waitUntil: "networkidle" })
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
    await browser.close()
    server.close()
  }
  return { clicked, wrong }
}

/** What prints later is waited for, for as long as a slow machine takes. */
async function readUntil(place, isThere) {
  let text = ""
  for (const end = Date.now() + 4_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    text = await place.textContent()
    if (isThere(text)) break
  }
  return text
}

/** The words alone: the page shows objects as JSON, and Node as JavaScript. */
function toWords(text) {
  return text.replaceAll(/["'`\s]/g, "")
}

function pagesWithExamples(out) {
  return readdirSync(out, { recursive: true })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".html") && readFileSync(join(out, file), "utf8").includes('class="live-example"'))
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" }

async function serve(out, base) {
  const server = createServer((request, response) => {
    const path = posix.normalize(new URL(request.url, "http://site").pathname).slice(base.length)
    try {
      const body = readFileSync(join(out, path))
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://localhost:${server.address().port}${base}`, close }
}
