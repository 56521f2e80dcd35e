/** A table with a line of titles; empty where there are no rows. The last column is as wide as it comes. */
export function toTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ""
  const all = [titles.map((title) => title.toUpperCase()), ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}
