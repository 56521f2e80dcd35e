// `pnpm examples`: compiles every ```ts block of the docs under the workspace's flags, and runs it. With an argument, only
// examples whose page or name contains it run, and their output is printed.
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { build, compiledFolders, root } from "../launch/workspace.mjs"
import { compileExamples } from "./examples/compile-examples.mjs"
import { readExamples } from "./examples/read-examples.mjs"
import { runExample } from "./examples/run-example.mjs"

const wanted = process.argv[2]
// Run examples even if a package does not compile: `pnpm build` is the step that fails on it.
if (!build(compiledFolders("packages"))) console.error("the build failed: the examples may see an older state")

// Inside this package, because it depends on everything that an example imports.
const folder = mkdtempSync(join(root, "apps", "rigs", "docs-examples", ".examples-"))
try {
  const examples = readExamples(root)
  const failures = [...compileExamples(examples, folder), ...(await runAll(examples))]
  for (const failure of failures) console.error(`\n${failure}`)
  console.log(`${examples.length} examples, ${failures.length} failures`)
  process.exitCode = failures.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Runs one example at a time, which makes failures easier to read. */
async function runAll(examples) {
  const failures = []
  for (const example of examples.filter(({ place }) => place.includes(wanted ?? ""))) {
    const { printed, failure } = example.notRun === undefined ? await runExample(example, folder) : {}
    console.log(
      `${failure ? "FAILED" : "ok"}  ${example.place}${example.notRun ? ` (not run: ${example.notRun})` : ""}`,
    )
    if (wanted !== undefined && printed) console.log(printed.trimEnd())
    if (failure) failures.push(failure)
  }
  return failures
}
