import { join } from "node:path"
import { defineConfig } from "vitest/config"
import { project } from "./vitest.workspace.js"

const root = import.meta.dirname

/** Rigs that are tests and take more than a minute: `pnpm rig ends` and `pnpm rig identity` run them, `npm test` does not. */
export default defineConfig({
  test: {
    root,
    globalSetup: join(root, "tools/test/vitest-setup.mjs"),
    maxWorkers: "100%",
    projects: [project("ends", "apps/rigs/ends"), project("identity", "apps/rigs/identity")],
  },
})
