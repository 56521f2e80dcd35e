import type { Check } from "./checks.js"
import { compare, type KnownFailure, type Row } from "./compare.js"
import { giveTurns } from "./give-turns.js"
import { knownFailures } from "./known-failures.js"
import { runClientSuite } from "./run-suite.js"
import { clientSuites } from "./suites.js"

/** The columns of the table: the SDK's client, then ours, which must do no worse. */
const COLUMNS = ["sdk", "fromMcpServer", "fromMcpClient"]

/** Plays every suite against the SDK's client and ours, and prints one table. Returns whether there are no faults. */
export async function runClients(): Promise<boolean> {
  console.log(`${"".padEnd(WIDTH)}${COLUMNS.map((name) => name.padEnd(15)).join("")}`)
  const turns = await giveTurns(2)
  let good = true
  for (const suite of clientSuites) {
    console.log(suite.name)
    const known = knownFailures.filter((each) => each.suite === undefined || each.suite === suite.name)
    const results = new Map<string, ReadonlyMap<string, readonly Check[]>>()
    for (const column of COLUMNS) results.set(column, await runClientSuite(suite, column, turns))
    const scenarios = new Set([...results.values()].flatMap((checks) => [...checks.keys()]))
    for (const scenario of [...scenarios].sort()) {
      const columns = Object.fromEntries(COLUMNS.map((name) => [name, results.get(name)?.get(scenario)]))
      const row = compare(scenario, columns, known)
      printRow(row, known)
      good &&= row.faults.length === 0
    }
    if (scenarios.size === 0) throw new Error(`no scenario of ${suite.name} ran`)
  }
  turns.close()
  return good
}

const WIDTH = 52

function printRow({ scenario, failed, faults }: Row, known: readonly KnownFailure[]): void {
  const cells = COLUMNS.map((name) => (failed[name]?.size === 0 ? "✓" : `✗ ${failed[name]?.size ?? ""}`).padEnd(15))
  const why = known.filter((each) => each.scenario === scenario).map((each) => each.why)
  console.log(`  ${scenario.padEnd(WIDTH - 2)}${cells.join("")}${[...new Set(why)].join("; ")}`)
  for (const fault of faults) console.log(`    ✗ ${fault}`)
}
