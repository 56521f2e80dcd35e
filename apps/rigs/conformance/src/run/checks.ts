import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** One line of a `checks.json`. */
export interface Check {
  /** Which check it is; a scenario may report one several times. */
  readonly id: string
  /** How it went. */
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  /** What was wrong. */
  readonly errorMessage?: string
}

/** What each scenario of a run reported. */
export function readChecks(output: string): ReadonlyMap<string, readonly Check[]> {
  const folders = readdirSync(output, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return new Map(
    folders.map(({ name }) => {
      // The suites' own files: whatever else is in them is not looked at.
      const checks: readonly Check[] = JSON.parse(readFileSync(join(output, name, "checks.json"), "utf8"))
      return [scenarioOf(name), checks]
    }),
  )
}

/** A folder is named `server-<scenario>-<time>`. */
function scenarioOf(folder: string): string {
  return folder.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[\dTZ-]+$/, "")
}
