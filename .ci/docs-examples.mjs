// `pnpm docs:examples`: every ```ts block of the docs compiles under the workspace's flags, runs, and ends well.
// With an argument, only those whose page or name contains it run, and what they print is shown.
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import { compileExamples } from "./docs-examples/compile-examples.mjs"
import { readExamples } from "./docs-examples/read-examples.mjs"
import { runExample } from "./docs-examples/run-example.mjs"
import { build, compiledFolders, root } from "./workspace.mjs"

const wanted = process.argv[2]
// Half-written code must not keep examples of the rest from running; `pnpm build` is the step that fails on it.
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

/** One at a time: a failure is easier to read. */
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
