import { invalidUsage } from "../cli-error.js"

/**
 * Reads `[host:]port`; a host with colons is in brackets, as in a URL.
 *
 * @throws CliError `invalid_usage` when it is something else.
 */
export function toAddress(text: string): { readonly host?: string; readonly port: number } {
  const [, bracketed, plain, digits = ""] = /^(?:\[([\da-fA-F:.]+)\]:|([^\s:[\]]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = digits === "" ? Number.NaN : Number(digits)
  if (!(port <= 65_535)) {
    throw invalidUsage(
      `flag "--http" is "${text}": expected [host:]port, such as 3000 or 127.0.0.1:3000, the port at most 65535`,
    )
  }
  const host = bracketed ?? plain
  return { port, ...(host !== undefined && { host }) }
}
