import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = import.meta.dirname

/** The tests that need a browser, by themselves: `pnpm test:browser` finds or brings one, `npm test` runs without. */
export default defineConfig({
  test: {
    root,
    globalSetup: join(root, "tools/test/vitest-setup.mjs"),
    include: ["{packages,apps,examples}/**/*.browser.test.{ts,tsx}"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    // Each file opens browsers of its own, and one of them fills a core.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
  ssr: { resolve: { conditions: ["@x/source"] } },
})
