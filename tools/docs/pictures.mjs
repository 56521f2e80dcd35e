// `node tools/docs/pictures.mjs`: takes the pictures for the docs from the current demo: the board and the live view, in light
// and dark, wide and narrow, and an animation of a model at work, which needs ffmpeg.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import { buildPages } from "../launch/pages.mjs"
import { build, root } from "../launch/workspace.mjs"

if (!build(["apps/rigs/browser", "apps/demo"]) || !buildPages()) process.exit(1)
const from = (path) => import(pathToFileURL(join(root, path)).href)
const { openBrowser } = await from("apps/rigs/browser/dist/index.js")
const { playOnBoard } = await from("apps/demo/dist/pictures/play-on-board.js")

const folder = join(root, "docs", "pictures")
mkdirSync(folder, { recursive: true })
const browser = await openBrowser()
try {
  for (const colorScheme of ["light", "dark"]) {
    await picture({ colorScheme, size: { width: 1360, height: 800 } })
    await picture({ colorScheme, size: { width: 390, height: 800 } })
  }
  await movie()
} finally {
  await browser.close()
}

/** Takes the board alone, beside the live view, and with a question; and the live view alone. */
async function picture({ colorScheme, size }) {
  const demo = await startDemo()
  const options = { colorScheme, viewport: size }
  const page = await openPage(demo.url, options)
  const live = await openPage(`${demo.url}live/`, options, "agentic-live-view .row")
  const isWide = size.width > 600
  const name = `${isWide ? "wide" : "narrow"}-${colorScheme}`
  const shoot = (what, target) =>
    target.screenshot({ path: join(folder, `${what}-${name}.jpg`), type: "jpeg", quality: 78 })
  const steps = {
    connected: () => shoot("board", page),
    async moved() {
      await live.waitForSelector("agentic-live-view .cost b")
      await live.waitForTimeout(2_000)
      await shoot("live", live)
      await live.getByRole("tab", { name: "Links" }).click()
      await live.getByRole("tab", { name: "Activity" }).click()
      await live.waitForTimeout(300)
      if (isWide && colorScheme === "dark") await shoot("live-links", live)
      if (isWide) await page.getByRole("button", { name: "Live view" }).click()
      if (isWide) await page.waitForSelector("agentic-live-view .cost b")
      if (isWide && colorScheme === "light") await shoot("beside", page)
    },
    async asking() {
      await page.waitForSelector(".question")
      await page.waitForTimeout(400)
      if (isWide) await shoot("question", page)
      await page.getByRole("button", { name: "No, keep them" }).click()
    },
  }
  await playOnBoard(`${demo.url}mcp`, async (step) => steps[step]?.())
  await live.context().close()
  await page.context().close()
  await demo.close()
}

/** Records a model at work, four frames a second. */
async function movie() {
  const scratch = mkdtempSync(join(tmpdir(), "movie-"))
  const demo = await startDemo()
  const page = await openPage(`${demo.url}?live`, { colorScheme: "light", viewport: { width: 1200, height: 680 } })
  let count = 0
  let filming = true
  const film = async () => {
    for (; filming; count += 1) {
      const path = join(scratch, `${String(count).padStart(4, "0")}.png`)
      await Promise.all([page.screenshot({ path }), page.waitForTimeout(250)])
    }
  }
  const filmed = film()
  await playOnBoard(`${demo.url}mcp`, async (step) => {
    await page.waitForTimeout(step === "asking" ? 1_600 : 1_400)
    if (step === "asking") await page.getByRole("button", { name: "No, keep them" }).click()
  })
  await page.waitForTimeout(800)
  filming = false
  await filmed
  const input = ["-loglevel", "error", "-y", "-framerate", "4", "-i", join(scratch, "%04d.png")]
  const output = ["-vf", "scale=960:-1:flags=lanczos", "-c:v", "libwebp_anim", "-q:v", "55", "-loop", "0"]
  const { status, error } = spawnSync("ffmpeg", [...input, ...output, join(folder, "model-at-work.webp")], {
    stdio: "inherit",
  })
  if (status !== 0) console.error(`could not make the animation: ${error?.message ?? `ffmpeg ended with ${status}`}`)
  rmSync(scratch, { recursive: true, force: true })
  await page.context().close()
  await demo.close()
}

async function openPage(url, options, ready = '.status[data-status="connected"]') {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForSelector(ready)
  return page
}

async function startDemo() {
  const main = join(root, "apps", "demo", "dist", "main.js")
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
