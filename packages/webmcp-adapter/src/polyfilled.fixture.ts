import { initializeWebMCPPolyfill } from "@mcp-b/webmcp-polyfill"

initializeWebMCPPolyfill()
// After it, as a page has to load it.
import("./offer.fixture.js").catch(() => undefined)
