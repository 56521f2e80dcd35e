import { CommanderError } from "commander"
import { invalidUsage } from "../cli-error.js"
import { suggest } from "../names/nearest.js"
import { toWords, type Words } from "../names/to-words.js"
import { addAction } from "./add-action.js"
import type { CommandLine } from "./command-line.js"
import type { CommandSite } from "./command-site.js"
import { createRoot } from "./create-root.js"

/**
 * Reads a command line. Help and the version are printed at once.
 *
 * @throws CliError `invalid_usage` that says in a line what is wrong with it.
 */
export function readCommandLine(args: readonly string[], site: CommandSite): CommandLine {
  const words = toWords(site.tools)
  const read = parse(args, site, words)
  if (read.line !== undefined) return read.line
  // Not listed: by another name, or not now.
  const { word = "" } = read
  const entry = site.find(word)
  const again = entry === undefined ? read : parse(args, site, [...words, { entry, names: [word] }])
  if (again.line !== undefined) return again.line
  const known = words.flatMap(({ names }) => names)
  throw invalidUsage(`there is no action "${word}": ${suggest(word, known)} ("${site.name} --help" tells of them)`)
}

/** What was read: what is asked for, or the word that is no action's. */
interface Read {
  line?: CommandLine
  word?: string
}

function parse(args: readonly string[], site: CommandSite, words: Words): Read {
  const read: Read = {}
  const settle = (found: Read): void => void Object.assign(read, found)
  const root = createRoot(site, settle)
  for (const word of words) addAction(root, word, settle)
  try {
    root.parse(args, { from: "user" })
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
    read.line = { mode: "done" }
  }
  return read
}
