import type { CatalogueLimits } from "./catalogue-limits.js"
import type { StateEntry, ToolEntry } from "./entry.js"

/**
 * Gives an entry back that is small enough to be listed.
 *
 * @throws TooLargeError when it takes more characters to describe than the limit.
 */
export function assertSmall<Listed extends ToolEntry | StateEntry>(
  entry: Listed,
  { definition }: Pick<CatalogueLimits, "definition">,
): Listed {
  const size = JSON.stringify(entry.definition).length
  if (size <= definition) return entry
  throw new TooLargeError(
    `its definition has ${size} characters, more than ${definition}: shorten it, or raise the limit "definition"`,
  )
}

/** A member takes more to describe than may be listed. */
export class TooLargeError extends Error {
  /** Always `TooLargeError`. */
  override readonly name = "TooLargeError"
}
