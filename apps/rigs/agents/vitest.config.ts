import { defineConfig } from "vitest/config"

// Runs outside the workspace's tests, because it needs programs that few machines have.
export default defineConfig({
  test: { root: import.meta.dirname, include: ["src/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 300_000 },
})
