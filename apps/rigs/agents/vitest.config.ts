import { defineConfig } from "vitest/config"

// By itself, and not with the tests of the workspace: what it needs is not on every machine.
export default defineConfig({
  test: { root: import.meta.dirname, include: ["src/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 300_000 },
})
