// `node tools/release/pack.mjs FOLDER [NAME…]`: builds the published packages, or the named ones and their dependencies, and
// packs them as tarballs into a folder. Each tarball contains the repository data of the root's package.json and a README with
// absolute links. Installs their dependencies first in a clone that lacks them.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix, resolve } from "node:path"
import { relink } from "../docs/relink.mjs"
import { installQuietly } from "../launch/install-quietly.mjs"
import { build, pnpm, pnpmCommand, root } from "../launch/workspace.mjs"
import { publishedPackages } from "./published-packages.mjs"
import { homepageUrl, repositoryUrl } from "./repository.mjs"

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) {
  console.error("expected a folder: node tools/release/pack.mjs FOLDER [NAME…]")
  process.exit(2)
}
const destination = resolve(folder)
/** Matches build scripts that only compile, which the workspace's `build` has already done. */
const COMPILED = /^tsc -b tsconfig\.build\.json( && node \.\.\/\.\.\/tools\/launch\/bundle\.mjs)?$/
const all = publishedPackages()
const packages = wanted.length === 0 ? all : withDependencies(wanted)
// `npm start` installs only what the demo needs.
if (packages.some(({ folder }) => !existsSync(join(root, folder, "node_modules")))) await installQuietly("./packages/*")
// Start from an empty folder, so that old output is not packed.
for (const one of packages) rmSync(join(root, one.folder, "dist"), { recursive: true, force: true })
if (!build(packages.map((one) => one.folder))) process.exit(1)
for (const { folder, manifest } of packages) {
  // Some packages have further build steps.
  if (!COMPILED.test(manifest.scripts?.build)) buildWhole(folder)
}
rmSync(destination, { recursive: true, force: true })
mkdirSync(destination, { recursive: true })
const scratch = mkdtempSync(join(tmpdir(), "pack-"))
try {
  // Pack all at once, because starting a package manager takes longer than packing.
  const filters = packages.flatMap(({ folder }) => ["--filter", `./${folder}`])
  pnpm(["-r", ...filters, "pack", "--pack-destination", scratch], { stdio: ["ignore", "ignore", 2] })
  for (const one of packages) finish(one)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function withDependencies(names) {
  const found = new Set(names)
  // Grows as it goes.
  for (const name of found)
    for (const other of Object.keys(all.find((one) => one.name === name)?.manifest.dependencies ?? {}))
      if (other.startsWith("@x/")) found.add(other)
  return all.filter(({ name }) => found.has(name))
}

/** Unpacks the tarball, completes its files, and packs it again. */
function finish(one) {
  const tarball = `${one.name.replace(/^@/, "").replace("/", "-")}-${one.manifest.version}.tgz`
  execFileSync("tar", ["-xzf", tarball], { cwd: scratch })
  const unpacked = join(scratch, "package")
  complete(unpacked, one)
  execFileSync("tar", ["-czf", tarball, "package"], { cwd: scratch })
  cpSync(join(scratch, tarball), join(destination, tarball))
  rmSync(unpacked, { recursive: true })
}

/** Runs a command, and prints its output only if it fails. */
function buildWhole(folder) {
  const { command, args, options } = pnpmCommand(["-C", join(root, folder), "run", "build"])
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options })
  if (status === 0) return
  console.error(stdout + stderr)
  process.exit(1)
}

/** Adds the repository data and the licence, and makes the README's links absolute. */
function complete(unpacked, one) {
  const file = join(unpacked, "package.json")
  const manifest = JSON.parse(readFileSync(file, "utf8"))
  const { bugs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const repository = repositoryUrl()
  const about = {
    ...(repository && { repository: { type: "git", url: `git+${repository}.git`, directory: one.folder } }),
    ...(homepageUrl() && { homepage: homepageUrl() }),
    ...(bugs.email !== "" && { bugs }),
  }
  writeFileSync(file, `${JSON.stringify({ ...manifest, ...about }, undefined, 2)}\n`)
  cpSync(join(root, "LICENSE"), join(unpacked, "LICENSE"))
  const readme = join(unpacked, "README.md")
  if (existsSync(readme))
    writeFileSync(
      readme,
      relink(readFileSync(readme, "utf8"), (link) => toPackedLink(link, one)),
    )
}

/** Keeps links to files in the package. Other links point to the repository, or become plain text if its address is unknown. */
function toPackedLink(link, one) {
  const [path, hash = ""] = link.split("#")
  const target = posix.normalize(posix.join(one.folder, path))
  const inside = posix.relative(one.folder, target)
  if (!inside.startsWith("..") && /^(src|dist|CHANGELOG\.md|LICENSE)/.test(inside)) return link
  const repository = repositoryUrl()
  return repository && `${repository}/blob/main/${target}${hash && `#${hash}`}`
}
