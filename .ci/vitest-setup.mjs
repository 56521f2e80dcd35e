// Vitest's global set-up: tests that start the demo or read a built entry find what the sources say now.
import { build } from "./workspace.mjs"

export default function setup() {
  // Half-written code must not keep the tests of the rest from running; `pnpm build` is the step that fails on it.
  if (!build()) console.error("the build failed: tests that read what it writes may see an older state")
}
