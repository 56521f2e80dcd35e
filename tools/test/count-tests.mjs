// Prints "<passed> <failed>" from the file of Vitest's JSON reporter, "0 0" if there is none; with --failed, prints each
// failure with its reason.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

const [file, what] = process.argv.slice(2)
const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = report
const MESSAGE = 1_500

if (what !== "--failed") console.log(numPassedTests, numFailedTests)
else for (const line of testResults.flatMap(failures)) console.log(line)

/** If a file cannot be loaded, it has a message and no tests. */
function failures({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name)
  const failed = assertionResults.filter((test) => test.status === "failed")
  if (failed.length === 0) return status === "failed" ? [`\nfailed file: ${path}\n${message.slice(0, MESSAGE)}`] : []
  return failed.map(
    ({ fullName, failureMessages }) =>
      `\nfailed test: ${fullName} (${path})\n${failureMessages.join("\n").slice(0, MESSAGE)}`,
  )
}
