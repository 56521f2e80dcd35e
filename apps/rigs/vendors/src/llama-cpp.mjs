import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { named, programs } from "./programs.mjs"

/** Checks that llama.cpp converts a schema to a grammar without warnings, and that the grammar accepts valid arguments. */
export const llamaCpp = {
  name: `llama.cpp of ${named("node-llama-cpp")}`,
  profiles: ["portable"],
  refused: { type: "object", properties: { a: { type: "string", pattern: "^(?!x)a$" } } },
  async judge(asked) {
    const program = compile()
    const found = []
    let converter = start(program)
    for (const { schema, values } of asked) {
      const texts = values.flatMap((value) => toText(value, schema) ?? [])
      const answered = await converter.ask({ schema, values: texts })
      if (answered === undefined) converter = start(program)
      found.push(answered === undefined ? ["it ended: out of time or memory"] : problemsOf(answered, texts))
    }
    converter.end()
    return found
  },
}

/**
 * Writes a value with its properties in a grammar's order: required ones first. Returns `undefined` if a grammar accepts less
 * than the schema: it has no room for unlisted names, and derives a missing type from the other keywords. Formats are not
 * judged here.
 */
function toText(value, schema) {
  const written = inOrder(value, schema)
  return written === undefined ? undefined : JSON.stringify(written)
}

function inOrder(value, schema) {
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (choices.length > 0) return schema.enum === undefined ? inOrderOfOne(value, choices) : undefined
  if (isVague(schema) || schema.format !== undefined) return undefined
  if (typeof value !== "object" || value === null || schema.type === undefined) return value
  return Array.isArray(value) ? itemsInOrder(value, schema) : membersInOrder(value, schema)
}

function inOrderOfOne(value, choices) {
  if (choices.some(isVague)) return undefined
  const kind = Array.isArray(value) ? "array" : "object"
  const fitting = choices.filter(({ type }) => typeof value !== "object" || value === null || type === kind)
  return fitting.map((each) => inOrder(value, each)).find((each) => each !== undefined)
}

/** Returns whether a schema has keywords but no type. */
function isVague({ type, anyOf, oneOf, title: _, description: __, default: ___, ...rest }) {
  return (type ?? anyOf ?? oneOf) === undefined && Object.keys(rest).length > 0
}

function itemsInOrder(value, { items }) {
  const written = items === undefined ? value : value.map((each) => inOrder(each, items))
  return written.includes(undefined) ? undefined : written
}

function membersInOrder(value, { properties = {}, required = [], additionalProperties, allOf }) {
  const names = Object.keys(properties)
  if (allOf || (names.length === 0 && additionalProperties === undefined))
    return Object.keys(value).length === 0 ? value : undefined
  if (Object.keys(value).some((name) => !names.includes(name))) return undefined
  const first = names.filter((name) => required.includes(name))
  const order = [...first, ...names.filter((name) => !required.includes(name))].filter((name) => name in value)
  const written = order.map((name) => [name, inOrder(value[name], properties[name])])
  return written.some(([, each]) => each === undefined) ? undefined : Object.fromEntries(written)
}

function problemsOf({ warnings, answer: { taken = [], error } }, texts) {
  const untaken = texts.filter((_, index) => taken[index] === false).map((text) => `cannot write ${text.slice(0, 200)}`)
  // The lines after the first are the grammar.
  return [...warnings.slice(0, 1), ...(error === undefined ? [] : [error]), ...untaken]
}

/** Starts a converter with 2 GB and 20 seconds per schema, more than a server has. `ask` returns `undefined` beyond that. */
function start(program) {
  const child = spawn("sh", ["-c", 'ulimit -v 2000000; exec "$0"', program], { stdio: ["pipe", "pipe", "inherit"] })
  // Ignores writes to an ended process: `ask` reports the missing answer.
  child.stdin.on("error", () => {})
  const answers = answersOf(child)
  return {
    async ask(question) {
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000)
      child.stdin.write(`${JSON.stringify(question)}\n`)
      const { value } = await answers.next()
      clearTimeout(timer)
      return value
    },
    end: () => child.stdin.end(),
  }
}

async function* answersOf(child) {
  let warnings = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) warnings.push(line)
    else {
      yield { warnings, answer: JSON.parse(line) }
      warnings = []
    }
  }
}

/** Compiles the converter once, against the published headers and libraries. */
function compile() {
  const bundled = join(programs, "node_modules", "node-llama-cpp", "llama", "gitRelease.bundle")
  const libraries = join(programs, "node_modules", "@node-llama-cpp", "linux-x64", "bins", "linux-x64")
  const built = join(programs, "node_modules", ".grammar")
  const program = join(built, "grammar")
  if (existsSync(program)) return program
  bringCompiler()
  mkdirSync(built, { recursive: true })
  const sources = join(built, "llama.cpp")
  if (!existsSync(sources)) run("git", ["-c", "advice.detachedHead=false", "clone", "--quiet", bundled, sources])
  const headers = ["common", "src", "include", "ggml/include"].flatMap((folder) => ["-I", join(sources, folder)])
  const linked = readdirSync(libraries).filter((file) => /^lib(llama|ggml)(-common|-base|\.v)/.test(file))
  run("g++", [
    ...["-std=c++17", "-O1", ...headers, join(import.meta.dirname, "grammar.cpp"), "-o", program],
    ...[...linked.map((file) => join(libraries, file)), `-Wl,-rpath,${libraries}`, "-Wl,--allow-shlib-undefined"],
  ])
  return program
}

/** Installs a missing compiler with apt if this process is root, as in CI. */
function bringCompiler() {
  const hasAll = ["g++", "git"].every((command) => spawnSync(command, ["--version"]).status === 0)
  if (hasAll || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return
  run("apt-get", ["update", "-qq"])
  run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "g++", "git"])
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] })
  if (status !== 0) throw new Error(`${command} ended with ${status ?? error?.message}: git and g++ are needed`)
}
