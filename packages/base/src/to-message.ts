/**
 * Returns the message of any thrown value: an error's message, or the value as a string.
 *
 * @example
 * ```ts
 * import { toMessage } from "@x/base"
 *
 * console.log(toMessage(new Error("the port is taken")), toMessage("stopped"))
 * ```
 */
export function toMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
