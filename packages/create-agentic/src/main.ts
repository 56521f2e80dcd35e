#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

/** This package's own folder. */
const own = fileURLToPath(new URL("..", import.meta.url))

/** What may be in a folder before: somebody began with `git init`, or looked into it. */
const BESIDES = new Set([".git", ".DS_Store", ".idea", ".vscode"])

main()

/** Makes a project, as the command line says. */
function main(): void {
  try {
    const options = readOptions(process.argv.slice(2))
    console.log(options.help ? usage() : createProject(options))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

/** How a project is started. */
interface Options {
  /** Only says how it can be started. */
  readonly help: boolean
  /** Where it is made. */
  readonly folder: string
  /** What it is made from: a server, or a page with Vite and React. */
  readonly template: "template" | "template-react"
  /** Whether what it needs is installed. */
  readonly install: boolean
  /** A folder with the packages as tarballs; `undefined` takes them from where this command came from. */
  readonly packages: string | undefined
}

/** What `--help` prints. */
function usage(): string {
  return `Starts a project whose state, actions and links any model can use.

  npm create agentic my-app              makes the folder my-app, and installs what it needs
  npm create agentic my-app -- --react   a page with Vite and React, instead of a server
  npm create agentic my-app -- --no-install
  npm create agentic my-app -- --packages <folder>
                                         takes the packages from tarballs in a folder, not from the registry`
}

/**
 * Reads the command line.
 *
 * @throws Error in words for whoever typed it.
 */
function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h", default: false },
      "no-install": { type: "boolean", default: false },
      react: { type: "boolean", default: false },
      packages: { type: "string" },
    },
  })
  const [folder, ...more] = positionals
  const { help, packages, react } = values
  if (!help && (folder === undefined || more.length > 0)) throw new Error(`expected one folder\n\n${usage()}`)
  const template = react ? "template-react" : "template"
  return { help, folder: folder ?? "", template, install: !values["no-install"], packages }
}

/**
 * Makes a project in a folder that is empty, or not there yet.
 *
 * @returns What to do next, for whoever typed it.
 * @throws Error in words for whoever typed it.
 */
function createProject({ folder, template, install, packages }: Omit<Options, "help">): string {
  const project = resolve(folder)
  if (!isFree(project)) throw new Error(`${folder} is not an empty folder`)
  copyTemplate(project, template)
  const versions = findVersions(project, packages)
  writeManifest(project, versions)
  if (install) runInstall(project, versions)
  return nextSteps(project, { install, template })
}

/** Whether a project can be made there: nothing is there, or a folder of nothing but what does not show. */
function isFree(project: string): boolean {
  if (!existsSync(project)) return true
  return statSync(project).isDirectory() && readdirSync(project).every((entry) => BESIDES.has(entry))
}

function copyTemplate(project: string, name: Options["template"]): void {
  const template = join(own, name)
  const isPart = (from: string): boolean => !/[\\/](node_modules|dist|notes\.json)$/.test(from)
  cpSync(template, project, { recursive: true, filter: isPart })
  // npm leaves files of this name out of a package.
  renameSync(join(project, "_gitignore"), join(project, ".gitignore"))
}

/** What each of our packages is asked for by: a range, or a tarball. */
type Versions = Readonly<Record<string, string>>

/** The packages of the version that this one came with; each depends on the others, so all are named. */
function findVersions(project: string, packages: string | undefined): Versions {
  const { devDependencies } = readManifest(own)
  const ours = Object.entries(devDependencies).filter(([name]) => name.startsWith("@x/"))
  const template = readManifest(project)
  const asked = ours
    .map(([name]) => name)
    .filter((name) => name in template.dependencies || name in template.devDependencies)
  const isWorkspace = ours.some(([, range]) => range.startsWith("workspace:"))
  const local = packages ?? (isWorkspace ? packWorkspace(asked) : undefined)
  if (local === undefined) return Object.fromEntries(ours)
  const kept = join(project, "packages")
  mkdirSync(kept)
  // Those that are asked for, and what of ours they ask for in turn.
  return Object.fromEntries(keepAll(new Set(asked), resolve(local), kept))
}

function keepAll(wanted: Set<string>, from: string, kept: string): [name: string, range: string][] {
  const versions: [name: string, range: string][] = []
  // Grows as it goes.
  for (const name of wanted) {
    const range = keepTarball(name, from, kept)
    versions.push([name, range])
    const file = range.slice("file:packages/".length)
    const manifest = spawnSync("tar", ["-xOzf", file, "package/package.json"], { cwd: kept, encoding: "utf8" }).stdout
    const { dependencies = {} }: Partial<Manifest> = JSON.parse(manifest)
    for (const other of Object.keys(dependencies)) if (other.startsWith("@x/")) wanted.add(other)
  }
  return versions
}

/** Copies a tarball into the project, so that it stays whole when it is moved. */
function keepTarball(name: string, from: string, kept: string): string {
  const prefix = `${name.slice(1).replace("/", "-")}-`
  const file = readdirSync(from).find(
    (entry) => entry.startsWith(prefix) && /^\d.*\.tgz$/.test(entry.slice(prefix.length)),
  )
  if (file === undefined) throw new Error(`there is no tarball of ${name} in ${from}`)
  cpSync(join(from, file), join(kept, file))
  return `file:packages/${file}`
}

/** Packs these packages of the workspace that this one is developed in, and what they depend on. */
function packWorkspace(names: readonly string[]): string {
  const root = join(own, "..", "..")
  const packed = join(root, "dist", "packed")
  console.error("packing the packages of the workspace …")
  const args = [join(root, ".ci", "pack.mjs"), packed, ...names]
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("the packages of the workspace could not be packed")
  return packed
}

/** What of a package.json is read here. */
interface Manifest {
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

/** Names the project after its folder, and says where our packages come from. */
function writeManifest(project: string, versions: Versions): void {
  const template = readManifest(project)
  const wanted = new Set([...Object.keys(template.dependencies), ...Object.keys(template.devDependencies)])
  // A tarball's dependencies are asked of the registry, unless they are there already.
  const besides = Object.entries(versions).filter(([name, range]) => !wanted.has(name) && range.startsWith("file:"))
  const fill = (dependencies: Versions): Versions =>
    Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, versions[name] ?? range]))
  const manifest = {
    ...template,
    name: toPackageName(basename(project)),
    dependencies: sorted({ ...fill(template.dependencies), ...Object.fromEntries(besides) }),
    devDependencies: fill(template.devDependencies),
  }
  writeFileSync(join(project, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`)
}

function sorted(dependencies: Versions): Versions {
  const names = Object.keys(dependencies).sort()
  return Object.fromEntries(names.map((name) => [name, dependencies[name] ?? ""]))
}

/** A name that npm takes; the project is private, so it need not be free. */
function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._]+|-+$/g, "")
  return name === "" ? "my-app" : name.slice(0, 214)
}

/** Installs with what this command was started with; npm finds tarballs by each other, others do not. */
function runInstall(project: string, versions: Versions): void {
  const agent = /^(pnpm|yarn|bun)\b/.exec(process.env["npm_config_user_agent"] ?? "")?.[0] ?? "npm"
  const manager = Object.values(versions).some((range) => range.startsWith("file:")) ? "npm" : agent
  const args = manager === "npm" ? ["install", "--no-audit", "--no-fund", "--loglevel", "error"] : ["install"]
  console.error(`installing with ${manager} …`)
  const { status } = spawnSync(manager, args, {
    cwd: project,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  })
  if (status !== 0) throw new Error(`${manager} could not install: run it again in ${project} when there is a network`)
}

function nextSteps(project: string, { install, template }: Pick<Options, "install" | "template">): string {
  const within = relative(process.cwd(), project)
  const folder = within.startsWith("..") ? project : within
  const enter = /[^\w./\\:~-]/.test(folder) ? `"${folder}"` : folder
  const page = template === "template-react"
  return [
    "",
    ...(enter === "" ? [] : [`  cd ${enter}`]),
    ...(install ? [] : ["  npm install"]),
    `  npm test         ${page ? "the page in a real browser" : "what a model sees and may do"}, with a real client`,
    `  npm run dev      serves ${page ? "the page, and what it offers to models" : "it"}, and tells you where; clients stay connected while you change it`,
    "",
    "What a model may do is in src/notes.ts; README.md says how to connect one, and how to call an action by hand.",
  ].join("\n")
}
