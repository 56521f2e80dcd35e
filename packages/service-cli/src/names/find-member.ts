import type { StateEntry, ToolEntry } from "@x/mcp-adapter"
import { formatPath, parsePath } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "./suggest.js"

/** Actions with the words that name them. */
export type Words = readonly {
  readonly entry: ToolEntry
  /** The path and key, if no other action has that name, and the tool name, if it is different. */
  readonly names: readonly string[]
}[]

/** Returns the words that name each action. */
export function toWords(tools: readonly ToolEntry[]): Words {
  const taken = new Set(tools.map(({ name }) => name))
  return tools.map((entry) => {
    const word = wordOf(entry)
    if (taken.has(word) || word.startsWith("-")) return { entry, names: [entry.name] }
    taken.add(word)
    return { entry, names: [word, entry.name] }
  })
}

/**
 * Finds an action by its tool name, one of its names over other links, or its path and key, such as `columns/c1/add`.
 * Unavailable actions are found, too; calling them says why.
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
  // Unlisted actions can only be found by name, and most names are formed like this.
  const known = findByName(view, [...reached.path, key].join("__"))
  return isIt(known) ? known : undefined
}

/** Returns an action's path and key as one word. */
function wordOf({ path, key }: ToolEntry): string {
  return formatPath([...path, key])
}

/**
 * Finds a state by its path and key, such as `columns/c1/cards`, or by its URI. It is available, or declared.
 *
 * @throws CliError `invalid_usage` if it is neither.
 */
export function findState(view: View, word: string): string {
  const { states } = view.snapshot()
  const found = states.find((entry) => placeOf(entry) === word || entry.uri === word)
  if (found !== undefined) return placeOf(found)
  const path = parsePath(word)
  const key = path?.at(-1)
  const reached = path && view.serviceAt(path.slice(0, -1))
  if (reached !== undefined && key !== undefined && Object.hasOwn(reached.service.declared.states, key))
    return formatPath([...reached.path, key])
  throw invalidUsage(`there is no state "${word}": ${suggest(word, states.map(placeOf))}`)
}

/** Returns a state's path and key as one word. */
export function placeOf({ path, key }: StateEntry): string {
  return formatPath([...path, key])
}
