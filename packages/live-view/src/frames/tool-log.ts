import type { Diff, ToolEntry } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import type { AwayRow, ChangeFrame, ToolRow } from "./frame.js"
import { toToolRow } from "./rows.js"

/** Tracks the known tools of one view as they were last reported. */
export interface ToolLog {
  /** Reads all tools, the base of later changes. */
  start(listed: readonly ToolEntry[]): readonly ToolRow[]
  /** Records which tools have changed. */
  note(diff: Diff): void
  /**
   * Returns the changes since the last report.
   *
   * @param looks - Whether to check all unavailable tools, because diffs do not report changed reasons.
   */
  take(looks: boolean): ToolChanges
  /** Returns a tool's name in this view. Entries of a linked service's view have shorter names. */
  nameOf(entry: ToolEntry): string
}

type ToolChanges = Pick<ChangeFrame, "put" | "back" | "away" | "reasons" | "gone">

/** Creates a log that has reported nothing. */
export function createToolLog(view: View): ToolLog {
  const told = new Map<string, ToolRow>()
  const away = new Set<string>()
  const dirty = new Set<string>()
  const redefined = new Set<string>()
  const put = (row: ToolRow): ToolRow => {
    told.set(row.name, row)
    if (row.available) away.delete(row.name)
    else away.add(row.name)
    return row
  }
  const forget = (name: string): boolean => {
    away.delete(name)
    return told.delete(name)
  }
  return {
    start(listed) {
      for (const names of [told, away, dirty, redefined]) names.clear()
      const names = new Set([...listed, ...view.known()].map(({ name }) => name))
      return [...names].flatMap((name) => toToolRow(view.resolve(name), name) ?? []).map(put)
    },
    note({ tools }) {
      for (const { name } of [...tools.appeared, ...tools.vanished, ...tools.redefined]) dirty.add(name)
      for (const { name } of tools.redefined) redefined.add(name)
    },
    take(looks) {
      const changes = createChanges()
      for (const name of new Set([...dirty, ...(looks ? away : [])])) {
        const before = told.get(name)
        const row = toToolRow(view.resolve(name), name)
        if (row !== undefined) sort(changes, { before, row: put(row), redefined: redefined.has(name) })
        else if (forget(name)) changes.gone.push(name)
      }
      dirty.clear()
      redefined.clear()
      return filled(changes)
    },
    nameOf(entry) {
      const isIt = (row: ToolRow | undefined): boolean =>
        row?.key === entry.key && JSON.stringify(row.path) === JSON.stringify(entry.path)
      if (isIt(told.get(entry.name))) return entry.name
      for (const [name, row] of told) if (isIt(row)) return name
      return entry.name
    },
  }
}

interface Compared {
  readonly before: ToolRow | undefined
  readonly row: ToolRow
  /** Whether the definition has changed, even if the row is equal. */
  readonly redefined: boolean
}

/** Reports unchanged tools by name only, because many may come and go repeatedly. */
function sort(changes: Changes, { before, row, redefined }: Compared): void {
  const { name, available, reason } = row
  if (before === undefined || !isSameTool(before, row) || (redefined && available)) changes.put.push(row)
  else if (available && !before.available) changes.back.push(name)
  else if (!available && before.available) changes.away.push(toAway(row))
  else if (reason !== before.reason) changes.reasons.push(toAway(row))
}

function toAway({ name, reason }: ToolRow): AwayRow {
  return { name, ...(reason !== undefined && { reason }) }
}

/** Whether two rows describe the same tool, ignoring availability and reason. */
function isSameTool(one: ToolRow, other: ToolRow): boolean {
  const facts = ({ path, key, title, description, hints }: ToolRow): string =>
    JSON.stringify([path, key, title, description, hints])
  return facts(one) === facts(other)
}

type Changes = ReturnType<typeof createChanges>

function createChanges() {
  return {
    put: [] as ToolRow[],
    back: [] as string[],
    away: [] as AwayRow[],
    reasons: [] as AwayRow[],
    gone: [] as string[],
  }
}

/** Drops empty lists. */
function filled({ put, back, away, reasons, gone }: Changes): ToolChanges {
  return {
    ...(put.length > 0 && { put }),
    ...(back.length > 0 && { back }),
    ...(away.length > 0 && { away }),
    ...(reasons.length > 0 && { reasons }),
    ...(gone.length > 0 && { gone }),
  }
}
