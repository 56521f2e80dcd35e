// `node .ci/pack.mjs FOLDER [NAME…]`: builds the packages that are published, or those that are named and what they depend on,
// and packs them as tarballs into a folder. What the
// owner fills in once, in the root's package.json, is in each of them; links in their READMEs lead somewhere.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, posix, resolve } from "node:path"
import { relink } from "./docs/relink.mjs"
import { publishedPackages } from "./published-packages.mjs"
import { homepageUrl, repositoryUrl } from "./repository.mjs"
import { build, pnpm, pnpmCommand, root } from "./workspace.mjs"

const [folder, ...wanted] = process.argv.slice(2)
if (folder === undefined) {
  console.error("where to? name a folder")
  process.exit(2)
}
const destination = resolve(folder)
/** What `build` of the workspace has done already. */
const COMPILED = /^tsc -b tsconfig\.build\.json( && node \.\.\/\.\.\/\.ci\/bundle\.mjs)?$/
const all = publishedPackages()
const packages = wanted.length === 0 ? all : withDependencies(wanted)
// From nothing: what an older state has left behind must not be packed.
for (const one of packages) rmSync(join(root, one.folder, "dist"), { recursive: true, force: true })
if (!build(packages.map((one) => one.folder))) process.exit(1)
for (const { folder, manifest } of packages) {
  // Some do more than compile.
  if (!COMPILED.test(manifest.scripts?.build)) buildWhole(folder)
}
rmSync(destination, { recursive: true, force: true })
mkdirSync(destination, { recursive: true })
const scratch = mkdtempSync(join(tmpdir(), "pack-"))
try {
  // All at once: each start of a package manager takes longer than what it packs.
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

/** Takes the tarball apart, completes what is in it, and puts it together again. */
function finish(one) {
  const tarball = `${one.name.replace(/^@/, "").replace("/", "-")}-${one.manifest.version}.tgz`
  execFileSync("tar", ["-xzf", tarball], { cwd: scratch })
  const unpacked = join(scratch, "package")
  complete(unpacked, one)
  execFileSync("tar", ["-czf", tarball, "package"], { cwd: scratch })
  cpSync(join(scratch, tarball), join(destination, tarball))
  rmSync(unpacked, { recursive: true })
}

/** What it says is of use only where it fails. */
function buildWhole(folder) {
  const { command, args, options } = pnpmCommand(["-C", join(root, folder), "run", "build"])
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8", ...options })
  if (status === 0) return
  console.error(stdout + stderr)
  process.exit(1)
}

/** Says where the package comes from, has its licence beside it, and lets its README stand alone. */
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

/** What is in the package as well stays; the rest is where the source is, or, while nobody knows where that is, only words. */
function toPackedLink(link, one) {
  const [path, hash = ""] = link.split("#")
  const target = posix.normalize(posix.join(one.folder, path))
  const inside = posix.relative(one.folder, target)
  if (!inside.startsWith("..") && /^(src|dist|CHANGELOG\.md|LICENSE)/.test(inside)) return link
  const repository = repositoryUrl()
  return repository && `${repository}/blob/main/${target}${hash && `#${hash}`}`
}
