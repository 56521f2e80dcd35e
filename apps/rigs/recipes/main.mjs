// `pnpm rig recipes [name…]`: follows each recipe of CONTRIBUTING in a copy of this workspace, as a newcomer would, and runs
// the steps of `pnpm check` there: format and lint, types, affected tests, house rules, unused files. The tests of a recipe use
// the addition with real SDK clients. This workspace stays unchanged.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pnpmCommand, root } from "../../../tools/launch/workspace.mjs"
import { follow } from "./follow.mjs"
import { RECIPES } from "./recipes.mjs"

const names = process.argv.slice(2)
const unknown = names.filter((name) => RECIPES[name] === undefined)
if (unknown.length > 0) {
  console.error(`no such recipe: ${unknown.join(", ")}; there are ${Object.keys(RECIPES).join(", ")}`)
  process.exit(2)
}
const chosen = Object.entries(RECIPES).filter(([name]) => names.length === 0 || names.includes(name))
const workspace = mkdtempSync(join(tmpdir(), "recipes-"))
const failed = []

try {
  copyWorkspace()
  pnpm("install", "--frozen-lockfile", "--prefer-offline")
  const unusedBefore = findUnused()
  for (const [name, recipe] of chosen) step(`follow "${recipe.title}"`, () => follow(workspace, name, recipe))
  check(unusedBefore)
} finally {
  rmSync(workspace, { recursive: true, force: true })
}
for (const name of failed) console.error(`failed: ${name}`)
if (failed.length === 0) console.log(`${chosen.map(([, { title }]) => title).join(", ")}: everything passes`)
process.exitCode = failed.length === 0 ? 0 : 1

/** Copies the files that Git tracks or would add, in their current state. */
function copyWorkspace() {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  // Omits the recipes themselves, whose files would exist twice.
  const files = listed
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !file.startsWith("apps/rigs/recipes/"))
  for (const file of files) copyFile(file)
  // Biome needs a repository to find ignored files.
  execFileSync("git", ["init", "--quiet"], { cwd: workspace })
}

function copyFile(file) {
  try {
    cpSync(join(root, file), join(workspace, file))
  } catch (error) {
    // The file is deleted here, but still in Git's index.
    if (error.code !== "ENOENT") throw error
  }
}

/** Runs the parts of `pnpm check` that the addition affects. */
function check(unusedBefore) {
  const recipes = chosen.map(([, recipe]) => recipe)
  const tests = recipes.flatMap((recipe) => recipe.tests.map((test) => join(workspace, test)))
  const ends = recipes.flatMap((recipe) => recipe.ends ?? [])
  const packages = new Set(recipes.flatMap((recipe) => recipe.packages))
  const vitest = ["exec", "vitest", "run", "--reporter=dot", "--config"]
  step("lint", () => pnpm("exec", "biome", "check", ".", "--error-on-warnings"))
  for (const name of packages) step(`types of ${name}`, () => pnpm("--filter", `@x/${name}`, "run", "typecheck"))
  step("tests", () => pnpm(...vitest, "vitest.workspace.ts", ...tests))
  if (ends.length > 0) step("ends", () => pnpm(...vitest, "vitest.rigs.ts", "--project", "ends", "-t", ends.join("|")))
  step("house", () => node("tools/house/house.mjs"))
  step("unused files, exports and dependencies", () => {
    const found = [...findUnused()].filter((line) => !unusedBefore.has(line))
    if (found.length > 0) throw new Error(`knip reports new findings:\n${found.join("\n")}`)
  })
}

/** Returns knip's findings. Only those of a recipe count: some files exist only after a build. */
function findUnused() {
  const { command, args, options } = pnpmCommand(["exec", "knip", "--reporter", "compact"])
  const { status, stdout, stderr } = spawnSync(command, args, { ...options, cwd: workspace, encoding: "utf8" })
  // Exit code 1 means that there are findings.
  if (status !== 0 && status !== 1) throw new Error(`knip ended with exit code ${status}: ${stderr}`)
  return new Set(stdout.split("\n").filter((line) => line.includes(": ")))
}

function step(name, run) {
  console.log(`\n--- ${name}`)
  const start = performance.now()
  try {
    run()
    console.log(`--- ${name}: ${Math.round((performance.now() - start) / 1_000)} s`)
  } catch (error) {
    failed.push(name)
    console.error(error.message)
  }
}

function pnpm(...args) {
  const { command, args: all, options } = pnpmCommand(args)
  start(command, all, options)
}

function node(...args) {
  start(process.execPath, args)
}

function start(command, args, options = {}) {
  const { status } = spawnSync(command, args, { ...options, cwd: workspace, stdio: ["ignore", "inherit", "inherit"] })
  if (status !== 0) throw new Error(`"${args.join(" ")}" ended with exit code ${status}`)
}
