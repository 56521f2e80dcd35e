import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

/** The folder of the vendors' installed programs. */
export const programs = join(import.meta.dirname, "..", "programs")

const require = createRequire(join(programs, "package.json"))
const { dependencies } = JSON.parse(readFileSync(join(programs, "package.json"), "utf8"))

/** Loads a module of a program. */
export function load(specifier) {
  return import(pathToFileURL(require.resolve(specifier)).href)
}

/** Returns a program's name and version. */
export function named(program) {
  return `${program} ${dependencies[program]}`
}

/** Returns a program's error for a schema as a list, empty without an error. */
export function thrownBy(use) {
  try {
    return use()
  } catch (error) {
    return [`refused: ${error instanceof Error ? error.message.slice(0, 200) : error}`]
  }
}
