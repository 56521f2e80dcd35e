import { readFileSync } from "node:fs"
import { homedir } from "node:os"
import { basename, resolve, sep } from "node:path"
import { formatPointer } from "@x/tool-schemas/json"

/**
 * Which variables a host puts into its texts.
 *
 * - `shell`: `$NAME`, `${NAME}`, `${NAME:-else}`, `${env:NAME}` and predefined ones such as `${workspaceFolder}`.
 * - `braces`: the same without `$NAME`.
 * - `opencode`: `{env:NAME}` and `{file:path}`.
 * - `none`: nothing. A text that looks like a variable is a fault, since its writer expects one.
 */
export type Dialect = "shell" | "braces" | "opencode" | "none"

/** The values that variables stand for. */
export interface Values {
  /** The environment. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder that `${workspaceFolder}` stands for. */
  readonly workspace: string
  /** The answers to inputs, by id. */
  readonly inputs: ReadonlyMap<string, string>
}

/** Puts values into the texts of one server. */
export interface Variables {
  /** Returns a text with its variables replaced. Each variable without a value becomes a fault. */
  expand(text: string, path: readonly string[], options?: ExpandOptions): string
  /** Returns the value of an environment variable; if it is not set, that becomes a fault. */
  need(name: string, path: readonly string[]): string
  /** Returns the value of an environment variable, if it is set. */
  get(name: string): string | undefined
  /** Returns the text of a file; if it cannot be read, that becomes a fault. */
  readText(file: string, path: readonly string[]): string
  /** Adds a fault at a place of the file. */
  fault(path: readonly string[], message: string): void
  /** The faults so far: a pointer and what is wrong there. */
  readonly faults: readonly string[]
}

/** How a text is treated. */
export interface ExpandOptions {
  /** Whether a shell reads the text: it may have variables of its own, so `$NAME` without a value stays. Default `false`. */
  readonly script?: boolean
}

/** Creates what puts values into the texts of one server. */
export function createVariables(dialect: Dialect, values: Values): Variables {
  const faults: string[] = []
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
        const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
        fault(path, `the file "${file}" cannot be read${code}`)
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

/** Replaces `$NAME` and `${…}`, nested ones too. `$$NAME` and `$${` stand for themselves with one dollar. */
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

/** What stands for the text after a dollar, and how much of that text it takes. */
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

/** Returns where the brace that opens a text is closed; -1 if it is not. */
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
  return script ? `$${name}` : variables.need(name, path)
}

/** Returns what stands for the inside of `${…}`. */
function insideValue(inside: string, context: Context): string {
  const [, env, name = "", fallback] = /^(env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/.exec(inside) ?? []
  if (name === "") return hostValue(inside, context)
  const { values, variables, path } = context
  const value = values.environment[name] ?? (env === undefined ? predefined(name, values) : undefined)
  if (value !== undefined && (value !== "" || fallback === undefined)) return value
  return fallback === undefined ? variables.need(name, path) : expandDollars(fallback, context, false)
}

/** Returns what stands for a variable that is none of the environment. */
function hostValue(inside: string, context: Context): string {
  const { values, variables, path } = context
  const [kind = "", ...more] = inside.split(":")
  const what = more.join(":")
  if (inside === "/") return sep
  if (kind === "input") return inputValue(what, context)
  if (kind === "file") return variables.readText(what, path).trimEnd()
  if (kind === "workspaceFolder" && what === basename(values.workspace)) return values.workspace
  variables.fault(path, `the variable "${inside}" is known to its host alone: use one of the environment`)
  return ""
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

/** Returns the environment variable that stands for an input where nobody can be asked, such as `INPUT_API_KEY`. */
export function inputVariable(id: string): string {
  return `INPUT_${id.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase()}`
}

function inputValue(id: string, { values, variables, path }: Context): string {
  const value = values.inputs.get(id) ?? values.environment[inputVariable(id)]
  if (value !== undefined) return value
  const how = `start the gateway in a terminal once, or set ${inputVariable(id)} in the environment`
  variables.fault(path, `the input "${id}" has no value: ${how}`)
  return ""
}

function expandCurly(text: string, { variables, path }: Context): string {
  return text.replace(/\{(env|file):([^}]*)\}/g, (_, kind: string, what: string) =>
    kind === "env" ? variables.need(what, path) : variables.readText(what, path).trimEnd(),
  )
}

/** A host that has no variables passes them on as they stand, which no writer of one wants. */
function refuseVariables(text: string, { variables, path, script }: Context): string {
  const found = script ? undefined : /\$\{[^}]*\}|\{(?:env|file):[^}]*\}/.exec(text)?.[0]
  if (found !== undefined)
    variables.fault(path, `"${found}" looks like a variable, and this kind of file has none: name it another way`)
  return text
}

/** Returns the ids of the inputs that a value names. */
export function inputsIn(value: unknown): readonly string[] {
  return [...(JSON.stringify(value) ?? "").matchAll(/\$\{input:([^}"\\]+)\}/g)].map(([, id = ""]) => id)
}
