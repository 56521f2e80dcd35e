import { realpathSync } from "node:fs"
import { pathToFileURL } from "node:url"

/** Whether a module is the program that was started, also by a link to it, as those in `node_modules/.bin` are. */
export function isMain({ url }: { readonly url: string }): boolean {
  const [, program] = process.argv
  if (program === undefined) return false
  try {
    return pathToFileURL(realpathSync(program)).href === url
  } catch {
    // Node takes a program without its extension, too.
    return [".js", ".mjs", ".ts"].some((extension) => pathToFileURL(`${program}${extension}`).href === url)
  }
}
