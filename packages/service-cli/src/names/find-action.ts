import { formatPath, parsePath, type ToolEntry, type View } from "@x/mcp-adapter"

/**
 * Finds an action by the word it was named with: its tool name, one it had or has by another link, or its path of links and
 * key, such as `columns/c1/add`. One that is known and cannot be called now is found, too; calling it says why.
 */
export function findAction(view: View, word: string): ToolEntry | undefined {
  return findByName(view, word) ?? findByPath(view, word)
}

function findByName(view: View, name: string): ToolEntry | undefined {
  const resolution = view.resolve(name)
  return resolution.status === "unknown" ? undefined : resolution.entry
}

function findByPath(view: View, word: string): ToolEntry | undefined {
  const segments = parsePath(word)
  const key = segments?.at(-1)
  const reached = segments && view.serviceAt(segments.slice(0, -1))
  if (key === undefined || reached === undefined) return undefined
  const place = formatPath([...reached.path, key])
  const isIt = (entry: ToolEntry | undefined) => entry !== undefined && wordOf(entry) === place
  const listed = view.snapshot().tools.find(isIt)
  if (listed !== undefined) return listed
  // What is not listed can be found by name only, and most names are made like this.
  const known = findByName(view, [...reached.path, key].join("__"))
  return isIt(known) ? known : undefined
}

/** The path of links and key of an action, as one word. */
export function wordOf({ path, key }: ToolEntry): string {
  return formatPath([...path, key])
}
