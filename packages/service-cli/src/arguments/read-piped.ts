import { fstatSync } from "node:fs"
import { invalidUsage } from "../cli-error.js"

/**
 * Reads what is piped into the process, to its end; `undefined` where it has a terminal, or nothing that could be read.
 *
 * @throws CliError `invalid_usage` when it is more than `maxBytes`.
 */
export async function readPiped(maxBytes: number): Promise<string | undefined> {
  const { stdin } = process
  if (stdin.isTTY || !isSource()) return undefined
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdin) {
    size += chunk.length
    if (size > maxBytes) throw invalidUsage(`standard input is more than ${maxBytes} bytes: expected less`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Not a device such as `/dev/null`; and a process may be started without any input. */
function isSource(): boolean {
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isFile() || input.isSocket()
  } catch {
    return false
  }
}
