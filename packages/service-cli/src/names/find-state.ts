import { formatPath, parsePath, type StateEntry, type View } from "@x/mcp-adapter"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "./nearest.js"

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
