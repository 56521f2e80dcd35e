import { type Browser, chromium } from "playwright-core"
import { findChromium } from "./find-chromium.js"

/** What to change about the browser that `openBrowser` opens. */
export interface BrowserOptions {
  /** More command-line arguments, such as `--enable-features=WebMCP`. */
  readonly args?: readonly string[]
  /** Whether the back/forward cache is on, as it is for people. Off by default, as Playwright has it. */
  readonly backForwardCache?: boolean
}

/**
 * Opens a headless Chromium with a profile of its own, gone when it closes. Fails where there is no Chromium: a test that
 * needs a browser never passes without one.
 */
export function openBrowser({ args = [], backForwardCache = false }: BrowserOptions = {}): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('found no Chromium: run "pnpm test:browser", which brings one')
  return chromium.launch({
    executablePath,
    args: [...QUIET, ...args],
    ...(backForwardCache ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
  })
}

/** Nothing that a test has not asked for goes over the network. */
export const QUIET: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]
