// `node .ci/pack.mjs FOLDER [NAME…]`: builds the packages that are published, and packs them as tarballs into a folder.
import { mkdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { publishedPackages } from "./published-packages.mjs"
import { build, pnpm, root } from "./workspace.mjs"

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) {
  console.error("where to? name a folder")
  process.exit(2)
}
const destination = resolve(folder)
const packages = publishedPackages().filter(({ name }) => wanted.length === 0 || wanted.includes(name))
rmSync(destination, { recursive: true, force: true })
mkdirSync(destination, { recursive: true })
if (!build(packages.map((one) => one.folder))) process.exit(1)
for (const one of packages) {
  pnpm(["-C", join(root, one.folder), "pack", "--pack-destination", destination], { stdio: ["ignore", "ignore", 2] })
}
