// Prints "<passed> <failed>" from the file that Vitest's JSON reporter wrote, "0 0" where it wrote none; with --failed, what
// failed and why.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"

const [file, what] = process.argv.slice(2)
const report = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = report
const MESSAGE = 1_500

if (what !== "--failed") console.log(numPassedTests, numFailedTests)
else for (const line of testResults.flatMap(failures)) console.log(line)

/** A file that could not be loaded has a message of its own and no test. */
function failures({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name)
  const failed = assertionResults.filter((test) => test.status === "failed")
  if (failed.length === 0) return status === "failed" ? [`\nfailed file: ${path}\n${message.slice(0, MESSAGE)}`] : []
  return failed.map(
    ({ fullName, failureMessages }) =>
      `\nfailed test: ${fullName} (${path})\n${failureMessages.join("\n").slice(0, MESSAGE)}`,
  )
}
