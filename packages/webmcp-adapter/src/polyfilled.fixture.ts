import { initializeWebMCPPolyfill } from "@mcp-b/webmcp-polyfill"

initializeWebMCPPolyfill()
// Imported after the polyfill, as pages must do.
import("./offer.fixture.js").catch(() => undefined)
