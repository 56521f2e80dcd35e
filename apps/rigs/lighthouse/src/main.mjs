// Runs Lighthouse on the demo's pages, on a phone and on a desktop. Exits with 1 if a score is below 95.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createRequire } from "node:module"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const LEAST = 95
const CATEGORIES = ["accessibility", "best-practices"]
const PAGES = { "the board": "", "the board beside the live view": "?live", "the live view": "live/" }

const brought = createRequire(new URL("../brought/package.json", import.meta.url))
const load = (name) => import(pathToFileURL(brought.resolve(name)).href)
const { default: lighthouse, desktopConfig } = await load("lighthouse")
const { launch } = await load("chrome-launcher")

const demo = await startDemo()
const chrome = await launch({
  chromePath: process.env.CHROME_PATH,
  chromeFlags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
})
let held = true
try {
  for (const [what, path] of Object.entries(PAGES))
    for (const [device, config] of Object.entries({ "a phone": undefined, "a desk": desktopConfig }))
      await judge(`${what}, on ${device}`, demo.url + path, config)
} finally {
  chrome.kill()
  await demo.close()
}
process.exitCode = held ? 0 : 1

async function judge(what, url, config) {
  const flags = { port: chrome.port, onlyCategories: CATEGORIES, logLevel: "error" }
  const { lhr } = await lighthouse(url, flags, config)
  const scores = CATEGORIES.map((name) => ({ name, score: Math.round((lhr.categories[name].score ?? 0) * 100) }))
  console.log(`${what}: ${scores.map(({ name, score }) => `${name} ${score}`).join(", ")}, at least ${LEAST}`)
  for (const name of CATEGORIES) for (const text of faultsOf(lhr, name)) console.log(`  ${name}: ${text}`)
  if (lhr.runtimeError) console.log(`  ${lhr.runtimeError.message}`)
  if (scores.some(({ score }) => score < LEAST)) held = false
}

/** Describes the audits that cost points: each title with up to three elements. */
function faultsOf({ categories, audits }, name) {
  return categories[name].auditRefs
    .filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1)
    .map(({ id }) => {
      const items = audits[id].details?.items ?? []
      const where = items.map(({ node, description, url }) => node?.snippet ?? description ?? url).filter(Boolean)
      return [audits[id].title, ...where.slice(0, 3)].join("\n    ")
    })
}

async function startDemo() {
  const main = join(import.meta.dirname, "..", "..", "..", "demo", "dist", "main.js")
  const child = spawn(process.execPath, [main, "--port", "0", "--quiet"], { stdio: ["ignore", "pipe", "inherit"] })
  const close = async () => {
    child.kill("SIGTERM")
    await once(child, "exit")
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /The board is at (http:\S+\/);/.exec(line)?.[1]
    if (url !== undefined) return { url, close }
  }
  throw new Error("the demo ended without printing its URL")
}
