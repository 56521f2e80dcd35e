// Prints "<passed> <failed>" from the file that Vitest's JSON reporter wrote; "0 0" where it wrote none.
import { existsSync, readFileSync } from "node:fs"

const file = process.argv[2]
const { numPassedTests = 0, numFailedTests = 0 } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}
console.log(numPassedTests, numFailedTests)
