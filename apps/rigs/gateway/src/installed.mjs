import { mkdtempSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** The folder that has the servers as dependencies. */
export const installed = join(import.meta.dirname, "..", "servers")
const require = createRequire(join(installed, "package.json"))

/** A folder that servers may read and change. */
export const folder = realpathSync(mkdtempSync(join(tmpdir(), "gateway-rig-")))

/** Returns the program of an installed package. */
export function programOf(name) {
  const file = join(installed, "node_modules", name, "package.json")
  const { bin } = require(file)
  return join(installed, "node_modules", name, typeof bin === "string" ? bin : Object.values(bin)[0])
}
