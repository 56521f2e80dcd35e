// `pnpm release`: packs the published packages and checks the tarballs: publint, attw, a strict consumer with each module
// resolution and each TypeScript from 5.4 on, source maps and links within the package, and a dry run. Refuses while the owner
// has not filled in the repository data, the contact among them. `pnpm release --publish` also publishes the packages, and
// `pnpm release --check` checks them before there is such data.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root, run } from "../launch/workspace.mjs"
import { checkConsumers } from "./check-consumers.mjs"
import { findLooseEnds } from "./find-loose-ends.mjs"
import { homepageUrl, repositoryUrl } from "./repository.mjs"

const [mode, ...others] = process.argv.slice(2)
if (others.length > 0 || ![undefined, "--publish", "--check"].includes(mode)) {
  console.error(`found ${process.argv.slice(2).join(" ")}, expected nothing, --publish or --check`)
  process.exit(2)
}
const publishes = mode === "--publish"
const faults = []

for (const what of findMissing()) {
  const text = `"${what}" is empty in the root's package.json: fill it in`
  if (mode === "--check") console.log(`· ${text} before a release`)
  else faults.push(`${text}, nothing is released without it`)
}
// Stop before packing if publishing would fail anyway.
if (faults.length > 0) end()

const scratch = mkdtempSync(join(tmpdir(), "release-"))
const packed = join(scratch, "packed")
try {
  run(process.execPath, [join(import.meta.dirname, "pack.mjs"), packed])
  const tarballs = readdirSync(packed).map((file) => join(packed, file))
  for (const tarball of tarballs) check(tarball)
  faults.push(...checkConsumers(tarballs, join(scratch, "consumer")))
  if (faults.length === 0) for (const tarball of tarballs) publish(tarball)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
end()

function end() {
  for (const fault of faults) console.error(`✗ ${fault}`)
  const good = mode === "--check" ? "the packages have no faults" : publishes ? "published" : "ready to be published"
  console.log(`\n${faults.length === 0 ? good : `${faults.length} faults`}`)
  process.exit(faults.length === 0 ? 0 : 1)
}

/** Returns the empty repository data that the owner fills in. */
function findMissing() {
  const { bugs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const data = {
    "repository.url": repositoryUrl(),
    homepage: homepageUrl(),
    "bugs.email (where vulnerabilities are reported, see SECURITY.md)": bugs.email,
  }
  return Object.keys(data).filter((key) => !data[key])
}

function check(tarball) {
  const name = tarball.split(/[\\/]/).at(-1)
  const tool = (file, ...args) => attempt(name, process.execPath, [join(root, "node_modules", file), ...args])
  tool("publint/src/cli.js", "run", tarball, "--strict")
  // Commands have no types.
  if (!name.startsWith("create-")) tool("@arethetypeswrong/cli/dist/index.js", tarball, "--profile", "esm-only")
  faults.push(...findLooseEnds(tarball, join(scratch, "unpacked")).map((text) => `${name}: ${text}`))
}

function publish(tarball) {
  const args = ["publish", tarball, "--access", "public", "--loglevel", "error", ...(publishes ? [] : ["--dry-run"])]
  attempt(tarball, "npm", args)
}

function attempt(what, command, args) {
  try {
    execFileSync(command, args, {
      stdio: "pipe",
      encoding: "utf8",
      shell: process.platform === "win32" && command === "npm",
    })
    console.log(
      `ok  ${args
        .find((arg) => !arg.startsWith("-"))
        ?.split(/[\\/]/)
        .slice(-3)
        .join("/")} ${what.split(/[\\/]/).at(-1)}`,
    )
  } catch (error) {
    faults.push(`${what}: ${[command, ...args].join(" ")}\n${error.stdout ?? ""}${error.stderr ?? ""}`)
  }
}
