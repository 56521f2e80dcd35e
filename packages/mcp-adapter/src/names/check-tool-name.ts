import { BUILT_IN_NAMES } from "./tool-name.js"

/**
 * Checks a name that an author chose, which no rule of ours has made safe.
 *
 * @throws RangeError when a host would refuse it, or it is one of our own tools'.
 */
export function checkToolName(name: string): string {
  if (BUILT_IN_NAMES.includes(name))
    throw new RangeError(`its "toolName" is "${name}": expected none of our own tools' names`)
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) return name
  throw new RangeError(
    `its "toolName" is "${name.slice(0, 64)}": expected a letter or "_" first, then at most 63 letters, digits, "_" or "-"`,
  )
}
