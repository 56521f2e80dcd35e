// Vitest's global set-up: builds, so that tests that start the demo or read a built entry use the current sources.
import { build } from "../launch/workspace.mjs"

export default function setup() {
  // Run tests even if a package does not compile: `pnpm build` is the step that fails on it.
  if (!build()) console.error("the build failed: tests that read what it writes may see an older state")
}
