// Vitest's global set-up: tests that start the demo or read a built entry find what the sources say now.
import { build } from "./workspace.mjs"

export default function setup() {
  if (!build()) throw new Error("the build failed: see the compiler's lines above")
}
