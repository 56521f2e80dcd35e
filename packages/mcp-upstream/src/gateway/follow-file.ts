import { watch } from "node:fs"
import { basename, dirname } from "node:path"

/** Milliseconds without a change before a file counts as written, since programs write in steps. */
const REST_MS = 100

/**
 * Calls a function whenever a file has been written. Its folder must exist, the file need not. Changes behind a symbolic link
 * are not noticed: see `followGatewayFile`.
 *
 * @returns A function that stops following.
 */
export function followFile(file: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(changed, REST_MS)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
