import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../launch/workspace.mjs"

/** Returns the published packages: everything in `packages` that is not `private`. */
export function publishedPackages() {
  return readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map((one) => ({ ...one, name: one.manifest.name }))
}
