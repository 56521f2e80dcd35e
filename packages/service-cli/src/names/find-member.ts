import type { StateEntry, ToolEntry } from "@x/mcp-adapter"
import { formatPath, parsePath } from "@x/mcp-adapter"
import type { View } from "@x/mcp-adapter/binding"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "./suggest.js"

/** Actions, each with the words it can be named with. */
export type Words = readonly {
  readonly entry: ToolEntry
  /** The path and key, where they make a word that is no other action's name, and the tool name, where it is another. */
  readonly names: readonly string[]
}[]

/** The words that actions can be named with. */
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
function wordOf({ path, key }: ToolEntry): string {
  return formatPath([...path, key])
}

/**
 * Finds the place of a state by its path and key, such as `columns/c1/cards`, or its URI. It is there now, or declared and
 * may come.
 *
 * @throws CliError `invalid_usage` when it is neither.
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

/** The path of links and key of a state, as one word. */
export function placeOf({ path, key }: StateEntry): string {
  return formatPath([...path, key])
}
