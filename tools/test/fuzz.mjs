// `pnpm fuzz [minutes] [seed] [part of a path]`: runs all property tests with random seeds, in rounds, for the given minutes
// (default 5, the last round is finished), or one round with the given seed. `pnpm fuzz commit [rounds]` takes its seeds from
// the last commit, so that CI tries other seeds at each commit and a second run of the same commit the same ones. Failures are
// printed with everything needed to write a test.
import { spawnSync } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { root } from "../launch/workspace.mjs"
import { seedsOfCommit } from "./seeds-of-commit.mjs"

const [first = "5", second, part = ""] = process.argv.slice(2)
const ofCommit = first === "commit"
const minutes = ofCommit ? 0 : Number(first)
const number = second === undefined ? undefined : Number(second)
if (Number.isNaN(minutes) || (number !== undefined && !Number.isInteger(number))) {
  console.error(
    "usage: pnpm fuzz [minutes] [seed] [part of a path], such as: pnpm fuzz 5, pnpm fuzz 0 1234 tool-name; " +
      "pnpm fuzz commit [rounds] [part of a path], such as: pnpm fuzz commit 5",
  )
  process.exit(2)
}

const RIGS = join("apps", "rigs")
const files = findPropertyTests()
const scratch = mkdtempSync(join(tmpdir(), "fuzz-"))
const end = performance.now() + minutes * 60_000
let finds = 0
try {
  let round = 1
  for (const seed of ofCommit ? seedsOfCommit(number ?? 5) : seedsFor(number)) {
    finds += play(round, seed)
    round += 1
  }
} finally {
  rmSync(scratch, { recursive: true })
}
console.log(finds === 0 ? "no failures" : `${finds} tests failed`)
process.exitCode = finds === 0 ? 0 : 1

/** Yields the given seed once, or random ones until the minutes are over. */
function* seedsFor(given) {
  if (given !== undefined) return yield given
  do yield randomInt(2 ** 31)
  while (performance.now() < end)
}

/** Runs every property with a seed; returns how many tests failed. */
function play(round, seed) {
  const report = join(scratch, "report.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const options = ["--config", "vitest.workspace.ts", "--reporter=json", `--outputFile.json=${report}`]
  const begun = performance.now()
  spawnSync(process.execPath, [vitest, "run", ...options, ...files], {
    cwd: root,
    stdio: "ignore",
    env: { ...process.env, FUZZ_SEED: String(seed) },
  })
  const { numTotalTests, testResults } = JSON.parse(readFileSync(report, "utf8"))
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`round ${round}, seed ${seed}: ${files.length} files, ${numTotalTests} tests in ${seconds} s`)
  const failed = testResults.flatMap(toFinds)
  for (const find of failed) print(find, seed)
  return failed.length
}

/** Returns the files with property tests. Rigs have commands of their own. */
function findPropertyTests() {
  return ["packages", "apps", "examples"]
    .flatMap(testsBelow)
    .filter(
      (file) =>
        !file.startsWith(RIGS) &&
        file.includes(part) &&
        readFileSync(join(root, file), "utf8").includes('from "fast-check"'),
    )
}

function testsBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return /^(node_modules|dist|\..*)$/.test(entry.name) ? [] : testsBelow(path)
    return /(?<!\.browser)\.test\.ts$/.test(entry.name) ? [path] : []
  })
}

/** If a file cannot be loaded, it has a message and no tests. */
function toFinds({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === "failed")
  if (failed.length === 0 && status === "failed") return [{ file: name, test: "(the file)", said: message }]
  return failed.map(({ fullName, failureMessages }) => ({
    file: name,
    test: fullName,
    said: failureMessages.join("\n"),
  }))
}

function print({ file, test, said }, seed) {
  const [, path] = /path: "([\d:]+)"/.exec(said) ?? []
  const again =
    path === undefined
      ? ""
      : `, or only this: { seed: ${seed}, path: "${path}", endOnFailure: true } in the property's options`
  console.log(`
found in ${relative(root, file)}
  ${test}
${said.split("\n    at ")[0].slice(0, 4_000).replace(/^/gm, "  ")}
  again: pnpm fuzz 0 ${seed} ${relative(root, file)}${again}
  as a case: put the counterexample into "examples: [[…]]" of the property's options, or write a test of it alone`)
}
