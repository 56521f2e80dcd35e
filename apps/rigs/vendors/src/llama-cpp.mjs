import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { named, programs } from "./programs.mjs"

/** What llama.cpp makes of a schema: a grammar that says as much, and in which arguments that are taken can be written. */
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
      found.push(answered === undefined ? ["it ended, out of time or memory"] : problemsOf(answered, texts))
    }
    converter.end()
    return found
  },
}

/**
 * Writes a value in the order in which a grammar wants its properties: what is required first. None where a grammar asks for less
 * than the schema lets in: it has no room for names that are not listed, takes what says no type for what its keywords are about, and
 * knows formats, which are not judged here.
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

/** Whether it says something, and not of which type. */
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
  // What follows the first line is the grammar.
  return [...warnings.slice(0, 1), ...(error === undefined ? [] : [error]), ...untaken]
}

/** Starts a converter with 2 GB and 20 seconds a schema, which is more than a server has; no answer where it took more. */
function start(program) {
  const child = spawn("sh", ["-c", 'ulimit -v 2000000; exec "$0"', program], { stdio: ["pipe", "pipe", "inherit"] })
  // What is written to one that has ended is lost, which its answer tells.
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

/** Compiles our few lines against the headers and the libraries that are published, once. */
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

/** On a machine of its own, such as CI's, with Debian's. */
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
