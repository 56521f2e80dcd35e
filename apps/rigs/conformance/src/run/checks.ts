import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** One line of a `checks.json`. */
export interface Check {
  /** The id of the check. A scenario may report a check several times. */
  readonly id: string
  /** The result. */
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  /** The reason of a failure. */
  readonly errorMessage?: string
}

/** Reads the checks of each scenario in a run. */
export function readChecks(output: string): ReadonlyMap<string, readonly Check[]> {
  const files = readdirSync(output, { encoding: "utf8", recursive: true }).filter((file) =>
    /\bchecks\.json$/.test(file),
  )
  return new Map(
    files.map((file) => {
      // The suites write these files, so their format is not validated.
      const checks: readonly Check[] = JSON.parse(readFileSync(join(output, file), "utf8"))
      return [scenarioOf(dirname(file)), checks]
    }),
  )
}

/** A folder is named `server-<scenario>-<time>`, or `<scenario>-<time>` if a client was tested; a scenario may have a slash. */
function scenarioOf(folder: string): string {
  return folder
    .replaceAll("\\", "/")
    .replace(/^server-/, "")
    .replace(/-\d{4}-\d{2}-\d{2}T[\dTZ-]+$/, "")
}
