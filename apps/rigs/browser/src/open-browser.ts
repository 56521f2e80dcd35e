import { type Browser, chromium } from "playwright-core"
import { findChromium } from "./find-chromium.js"

/** Options for `openBrowser`. */
export interface BrowserOptions {
  /** Additional command-line arguments, such as `--enable-features=WebMCP`. */
  readonly args?: readonly string[]
  /** Whether to enable the back/forward cache, as for people. Default `false`, as in Playwright. */
  readonly backForwardCache?: boolean
}

/**
 * Opens a headless Chromium with a temporary profile. Throws if there is no Chromium, since a browser test must not pass
 * without one.
 */
export function openBrowser({ args = [], backForwardCache = false }: BrowserOptions = {}): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === undefined) throw new Error('found no Chromium: run "pnpm test:browser", which installs one')
  return chromium.launch({
    executablePath,
    args: [...QUIET, ...args],
    ...(backForwardCache ? { ignoreDefaultArgs: ["--disable-back-forward-cache"] } : {}),
  })
}

/** Disables network requests that no test makes. */
export const QUIET: readonly string[] = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]
