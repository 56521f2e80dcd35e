import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Browser, chromium } from "playwright-core"
import { findChromium } from "./find-chromium.js"
import { QUIET } from "./open-browser.js"

/** A browser configured as for people. */
export interface PlainBrowser {
  /** The browser. Only its first context is configured as for people. */
  readonly browser: Browser
  /** Closes the browser and removes its profile. */
  close(): Promise<void>
}

/**
 * Opens a headless Chromium as people use it: its tabs share a window, with one in front. `openBrowser` keeps every tab in
 * front, which suits most tests.
 */
export async function openPlainBrowser(args: readonly string[] = []): Promise<PlainBrowser> {
  const program = findChromium()
  if (program === undefined) throw new Error('found no Chromium: run "pnpm test:browser", which installs one')
  const profile = mkdtempSync(join(tmpdir(), "browser-rig-"))
  const own = ["--headless", "--remote-debugging-port=0", `--user-data-dir=${profile}`]
  const child = spawn(program, [...own, ...QUIET, ...args, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] })
  // All browser processes hold this pipe, so its end means that nobody writes to the profile.
  const over = once(child, "close")
  const end = async (): Promise<void> => {
    child.kill()
    await over
    rmSync(profile, { recursive: true, force: true })
  }
  try {
    const browser = await chromium.connectOverCDP(await findAddress(child.stderr), { noDefaults: true })
    return {
      browser,
      async close() {
        await browser.close()
        await end()
      },
    }
  } catch (thrown) {
    await end()
    throw thrown
  }
}

/** Finds the debugging address in the browser's output. */
async function findAddress(said: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface(said)) {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? []
    if (address !== undefined) {
      // Drains the pipe, since a full one would block the browser.
      said.resume()
      return address
    }
    lines.push(line)
  }
  throw new Error(`Chromium did not start: ${lines.join("\n")}`)
}
