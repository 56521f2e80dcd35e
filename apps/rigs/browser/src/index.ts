export { findChromium } from "./find-chromium.js"
export { type BrowserOptions, openBrowser } from "./open-browser.js"
export { openPlainBrowser, type PlainBrowser } from "./open-plain-browser.js"
export { bundlePage, type PageOptions, type ServedPage, servePage } from "./serve-page.js"
