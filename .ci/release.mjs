// `pnpm release`: packs what is published, and holds the tarballs to what their users meet: publint, attw, a strict consumer in
// each way to resolve modules and each TypeScript from 5.4 on, source maps and links that lead to what is packed, and a dry
// run. `pnpm release --publish` publishes them, once the owner has filled in where they come from.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkConsumers } from "./release/check-consumers.mjs"
import { findLooseEnds } from "./release/find-loose-ends.mjs"
import { homepageUrl, repositoryUrl } from "./repository.mjs"
import { root, run } from "./workspace.mjs"

const publishes = process.argv.includes("--publish")
const scratch = mkdtempSync(join(tmpdir(), "release-"))
const packed = join(scratch, "packed")
const faults = []

try {
  run(process.execPath, [join(root, ".ci", "pack.mjs"), packed])
  const tarballs = readdirSync(packed).map((file) => join(packed, file))
  for (const tarball of tarballs) check(tarball)
  faults.push(...checkConsumers(tarballs, join(scratch, "consumer")))
  const { bugs } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const missing = Object.entries({
    "repository.url": repositoryUrl(),
    homepage: homepageUrl(),
    "bugs.email (where vulnerabilities are reported, see SECURITY.md)": bugs.email,
  }).filter(([, value]) => !value)
  for (const [what] of missing) {
    const text = `"${what}" is empty in the root's package.json: fill it in`
    if (publishes) faults.push(`${text}, nothing is published without it`)
    else console.log(`· ${text} before --publish`)
  }
  if (faults.length === 0) for (const tarball of tarballs) publish(tarball)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
for (const fault of faults) console.error(`✗ ${fault}`)
console.log(faults.length === 0 ? "\nready to be published" : `\n${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

function check(tarball) {
  const name = tarball.split(/[\\/]/).at(-1)
  const tool = (file, ...args) => attempt(name, process.execPath, [join(root, "node_modules", file), ...args])
  tool("publint/src/cli.js", "run", tarball, "--strict")
  // A command has no types.
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
