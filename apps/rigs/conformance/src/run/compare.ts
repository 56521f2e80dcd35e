import type { Check } from "./checks.js"
import { failedIn } from "./judge.js"

/** The checks that each client reported in a scenario, by column. */
export type Columns = Readonly<Record<string, readonly Check[] | undefined>>

/** A line of the table: the results of all clients in one scenario. */
export interface Row {
  /** The scenario. */
  readonly scenario: string
  /** The failed checks by column: ids with error messages. */
  readonly failed: Readonly<Record<string, ReadonlyMap<string, string>>>
  /** Faults of the table itself. */
  readonly faults: readonly string[]
}

/** A permitted failure of a client in a scenario. */
export interface KnownFailure {
  /** The column, or `"all"` columns. */
  readonly column: string
  /** The scenario. */
  readonly scenario: string
  /** The suite. Default: every suite that has the scenario. */
  readonly suite?: string
  /** Why. */
  readonly why: string
}

/**
 * Compares clients with the first one. Faults are: a check that another client fails and the first passes, an unknown failure
 * of the first client (or a table in which nothing works would pass), and a known failure that no longer occurs.
 */
export function compare(scenario: string, columns: Columns, known: readonly KnownFailure[]): Row {
  const failed = Object.fromEntries(Object.entries(columns).map(([name, checks]) => [name, failedIn(checks)]))
  const [[first, model] = ["", new Map<string, string>()], ...others] = Object.entries(failed)
  const isKnown = (column: string): boolean =>
    known.some((each) => each.scenario === scenario && (each.column === column || each.column === "all"))
  const worse = others
    .filter(([name]) => !isKnown(name))
    .flatMap(([name, checks]) =>
      [...checks].filter(([id]) => !model.has(id)).map(([id, what]) => `${name}, ${id}: ${what}`),
    )
  const unknown = isKnown(first) ? [] : [...model].map(([id, what]) => `${first}, ${id}: ${what}`)
  const stale = Object.entries(failed)
    .filter(([name, checks]) => isKnown(name) && checks.size === 0)
    .map(([name]) => `${name}: known to fail, but it does not`)
  return { scenario, failed, faults: [...worse, ...unknown, ...stale] }
}
