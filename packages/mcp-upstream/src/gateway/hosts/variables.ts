import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, resolve, sep } from "node:path"
import { formatPointer } from "@x/base"

/**
 * A host's notation of variables.
 *
 * - `shell`: `$NAME`, `${NAME}`, `${NAME:-else}`, `${env:NAME}` and predefined ones such as `${workspaceFolder}`.
 * - `braces`: the same without `$NAME`.
 * - `opencode`: `{env:NAME}` and `{file:path}`.
 * - `none`: no variables. A text that looks like one is a fault, since its author expects one.
 */
export type Dialect = "shell" | "braces" | "opencode" | "none"

/** The values of variables. */
export interface Values {
  /** The environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of `${workspaceFolder}`. */
  readonly workspace: string
  /** The answers to inputs, by id. */
  readonly inputs: ReadonlyMap<string, string>
}

/** Expands variables in the texts of one server. */
export interface Variables {
  /** Returns a text with its variables expanded. A variable without a value becomes a fault. */
  expand(text: string, path: readonly string[], options?: ExpandOptions): string
  /** Returns an environment variable's value; a missing one becomes a fault. */
  need(name: string, path: readonly string[]): string
  /** Returns an environment variable's value, if set. */
  get(name: string): string | undefined
  /** Returns a file's text; an unreadable file becomes a fault. */
  readText(file: string, path: readonly string[]): string
  /** Adds a fault with its place. */
  fault(path: readonly string[], message: string): void
  /** The faults so far, each with its pointer. */
  readonly faults: readonly string[]
}

/** An entry's place, with a collector of faults. */
export interface EntryContext {
  /** Expands variables and collects faults. */
  readonly variables: Variables
  /** The entry's place in the file. */
  readonly path: readonly string[]
}

/** Options for expanding a text. */
export interface ExpandOptions {
  /** Whether a shell reads the text. It may have variables of its own, so `$NAME` without a value stays. Default `false`. */
  readonly script?: boolean
}

/** Creates the expander of variables for one server, which adds to the given faults. */
export function createVariables(dialect: Dialect, values: Values, known: readonly string[] = []): Variables {
  const faults = [...known]
  const fault = (path: readonly string[], message: string): void => {
    faults.push(`${formatPointer(path)}: ${message}`)
  }
  const variables: Variables = {
    faults,
    fault,
    get: (name) => values.environment[name],
    need(name, path) {
      const value = values.environment[name]
      if (value === undefined) fault(path, `the variable "${name}" is not set: set it in the environment`)
      return value ?? ""
    },
    readText(file, path) {
      try {
        return readFileSync(toPath(file, values.workspace), "utf8")
      } catch (cause) {
        const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error"
        const why = code === "ENOENT" ? ": it does not exist" : ` (${code})`
        fault(path, `the file "${file}" cannot be read${why}`)
        return ""
      }
    },
    expand(text, path, { script = false } = {}) {
      const context: Context = { values, variables, path, script }
      if (dialect === "opencode") return expandCurly(text, context)
      if (dialect === "none") return refuseVariables(text, context)
      return expandDollars(text, context, dialect === "shell")
    },
  }
  return variables
}

interface Context {
  readonly values: Values
  readonly variables: Variables
  readonly path: readonly string[]
  readonly script: boolean
}

function toPath(file: string, workspace: string): string {
  return file.startsWith("~/") ? resolve(homedir(), file.slice(2)) : resolve(workspace, file)
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/

/** Expands `$NAME` and `${…}`, including nested ones. `$$NAME` and `$${` are kept with one dollar. */
function expandDollars(text: string, context: Context, bare: boolean): string {
  let out = ""
  let at = 0
  for (let dollar = text.indexOf("$"); dollar >= 0; dollar = text.indexOf("$", at)) {
    const rest = text.slice(dollar + 1)
    const { value, length } = escaped(rest, bare) ?? braced(rest, context) ?? named(rest, context, bare) ?? DOLLAR
    out += text.slice(at, dollar) + value
    at = dollar + 1 + length
  }
  return out + text.slice(at)
}

/** A replacement and the length of the replaced text. */
interface Replaced {
  readonly value: string
  readonly length: number
}

const DOLLAR: Replaced = { value: "$", length: 0 }

function escaped(rest: string, bare: boolean): Replaced | undefined {
  if (!rest.startsWith("${")) {
    const name = bare && rest.startsWith("$") ? NAME.exec(rest.slice(1))?.[0] : undefined
    return name === undefined ? undefined : { value: `$${name}`, length: 1 + name.length }
  }
  const end = closingOf(rest.slice(1))
  return end < 0 ? undefined : { value: rest.slice(0, end + 2), length: end + 2 }
}

function braced(rest: string, context: Context): Replaced | undefined {
  const end = rest.startsWith("{") ? closingOf(rest) : -1
  if (end > 0) return { value: insideValue(rest.slice(1, end), context), length: end + 1 }
  if (/^\{[A-Za-z_]/.test(rest)) context.variables.fault(context.path, 'a variable is not closed: expected "}"')
  return undefined
}

function named(rest: string, context: Context, bare: boolean): Replaced | undefined {
  const name = bare ? NAME.exec(rest)?.[0] : undefined
  return name === undefined ? undefined : { value: bareValue(name, context), length: name.length }
}

/** Returns the index of the matching closing brace; -1 if missing. */
function closingOf(text: string): number {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1
    if (text[at] === "}") depth -= 1
    if (depth === 0) return at
  }
  return -1
}

function bareValue(name: string, { values, variables, path, script }: Context): string {
  const value = values.environment[name]
  if (value !== undefined) return value
  return script ? `$${name}` : missing(name, `$$${name}`, { variables, path })
}

/** Reports a missing variable, and how to write the text literally. */
function missing(name: string, literal: string, { variables, path }: Pick<Context, "path" | "variables">): string {
  variables.fault(
    path,
    `the variable "${name}" is not set: set it in the environment, or write ${literal} for the text itself`,
  )
  return ""
}

/** Returns the value of the inside of `${…}`. */
function insideValue(inside: string, context: Context): string {
  const [, env, name = "", fallback] = /^(env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/.exec(inside) ?? []
  if (name === "") return hostValue(inside, context)
  const { values, variables, path } = context
  const value = values.environment[name] ?? (env === undefined ? predefined(name, values) : undefined)
  if (value !== undefined && (value !== "" || fallback === undefined)) return value
  if (fallback !== undefined) return expandDollars(fallback, context, false)
  return missing(name, `$\${${inside}}`, { variables, path })
}

/** Returns the value of a variable that a host predefines. */
function hostValue(inside: string, context: Context): string {
  const { values, variables, path } = context
  const [kind = "", ...more] = inside.split(":")
  const what = more.join(":")
  if (inside === "/") return sep
  if (kind === "input") return inputValue(what, context)
  if (kind === "file") return variables.readText(what, path).trimEnd()
  if (kind === "workspaceFolder" && what === basename(values.workspace)) return values.workspace
  variables.fault(path, `the variable "${inside}" has a value only in its host: use a variable of the environment`)
  return ""
}

/** Returns whether a text refers to no variable but those of places, whose values are no secrets. */
export function hasOnlyPlaces(text: string): boolean {
  const rest = text.replace(
    /\$\{(?:userHome|workspaceFolder(?:Basename|:[^{}]*)?|workspaceRoot|pathSeparator|cwd|\/)\}/g,
    "",
  )
  return !/\$[A-Za-z_{]|\{(?:env|file):/.test(rest)
}

function predefined(name: string, { workspace }: Values): string | undefined {
  switch (name) {
    case "userHome":
      return homedir()
    case "workspaceFolder":
    case "workspaceRoot":
      return workspace
    case "workspaceFolderBasename":
      return basename(workspace)
    case "pathSeparator":
      return sep
    case "cwd":
      return workspace
    default:
      return undefined
  }
}

/** Returns the environment variable for an input when nobody can be asked, such as `INPUT_API_KEY`. */
export function inputVariable(id: string): string {
  return `INPUT_${id.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()}`
}

function inputValue(id: string, { values, variables, path }: Context): string {
  const value = values.inputs.get(id) ?? values.environment[inputVariable(id)]
  if (value !== undefined) return value
  const how = `start the gateway in a terminal, which asks for it, or set ${inputVariable(id)} in the environment`
  variables.fault(path, `the input "${id}" has no value: ${how}`)
  return ""
}

function expandCurly(text: string, { variables, path }: Context): string {
  return text.replace(/\{(env|file):([^}]*)\}/g, (_, kind: string, what: string) =>
    kind === "env" ? variables.need(what, path) : variables.readText(what, path).trimEnd(),
  )
}

/** Refuses variables in a host's file without variables: the host would pass them on literally, against the author's intent. */
function refuseVariables(text: string, { variables, path, script }: Context): string {
  const found = script ? undefined : /\$\{[^}]*\}|\{(?:env|file):[^}]*\}/.exec(text)?.[0]
  if (found !== undefined)
    variables.fault(
      path,
      `"${found}" looks like a variable, but this host's files have no variables: write the value, or use a key that names a variable`,
    )
  return text
}

/** Returns the ids of the inputs named in a value. */
export function inputsIn(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? "").matchAll(/\$\{input:([^}"\\]+)\}/g)].map(([, id = ""]) => id)
}
