#!/usr/bin/env node
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { basename, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

/** The folder of this package. */
const own = fileURLToPath(new URL("..", import.meta.url))

/** The entries that a free folder may contain, such as those of `git init` or an editor. */
const BESIDES = new Set([".git", ".DS_Store", ".idea", ".vscode"])

main()

/** Creates a project, as the command line says. */
function main(): void {
  try {
    const options = readOptions(process.argv.slice(2))
    console.log(options.help ? usage() : createProject(options))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}

/** Options of a project. */
interface Options {
  /** Whether to print the help only. */
  readonly help: boolean
  /** The project's folder. */
  readonly folder: string
  /** The template: a server, or a page with Vite and React. */
  readonly template: "template" | "template-react"
  /** Whether to install the dependencies. */
  readonly install: boolean
  /** A folder of package tarballs. Without one, packages come from the workspace of this command, else from the registry. */
  readonly packages: string | undefined
}

/** Returns the text of `--help`. */
function usage(): string {
  return `Creates a project whose state, actions and links any model can use.

  npm create agentic my-app              creates the folder my-app and installs its dependencies
  npm create agentic my-app -- --react   a page with Vite and React, instead of a server
  npm create agentic my-app -- --no-install
  npm create agentic my-app -- --packages <folder>
                                         uses the packages in a folder of tarballs, not in the registry`
}

/**
 * Parses the command line.
 *
 * @throws Error that the person at the command can understand.
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
 * Creates a project in a folder that is empty or does not exist.
 *
 * @returns The person's next steps.
 * @throws Error that the person at the command can understand.
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

/** Whether the folder does not exist, or contains only entries that a free folder may contain. */
function isFree(project: string): boolean {
  if (!existsSync(project)) return true
  return statSync(project).isDirectory() && readdirSync(project).every((entry) => BESIDES.has(entry))
}

function copyTemplate(project: string, name: Options["template"]): void {
  const template = join(own, name)
  const isPart = (from: string): boolean => !/[\\/](node_modules|dist|notes\.json)$/.test(from)
  cpSync(template, project, { recursive: true, filter: isPart })
  // npm leaves `.gitignore` files out of packages.
  renameSync(join(project, "_gitignore"), join(project, ".gitignore"))
}

/** The range or tarball of each package of this workspace. */
type Versions = Readonly<Record<string, string>>

/** Returns the versions of all our packages for this release, because they depend on each other. */
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
  // The requested packages, with their dependencies in this workspace.
  return Object.fromEntries(keepAll(new Set(asked), resolve(local), kept))
}

function keepAll(wanted: Set<string>, from: string, kept: string): [name: string, range: string][] {
  const versions: [name: string, range: string][] = []
  // The set grows during the loop.
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

/** Copies a tarball into the project, so that the project can be moved. */
function keepTarball(name: string, from: string, kept: string): string {
  const prefix = `${name.slice(1).replace("/", "-")}-`
  const file = readdirSync(from).find(
    (entry) => entry.startsWith(prefix) && /^\d.*\.tgz$/.test(entry.slice(prefix.length)),
  )
  if (file === undefined) throw new Error(`found no tarball of ${name} in ${from}`)
  cpSync(join(from, file), join(kept, file))
  return `file:packages/${file}`
}

/** Packs packages of this workspace, with their dependencies. */
function packWorkspace(names: readonly string[]): string {
  const root = join(own, "..", "..")
  const packed = join(root, "dist", "packed")
  console.error("packing the workspace packages …")
  const args = [join(root, "tools", "release", "pack.mjs"), packed, ...names]
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error("the workspace packages could not be packed")
  return packed
}

/** The used fields of a package.json. */
interface Manifest {
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
}

/** Names the project after its folder, and sets the versions of its packages. */
function writeManifest(project: string, versions: Versions): void {
  const template = readManifest(project)
  const wanted = new Set([...Object.keys(template.dependencies), ...Object.keys(template.devDependencies)])
  // npm looks up a tarball's dependencies in the registry unless the project has them already.
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

/** Converts a folder's name to a package name that npm accepts. Private projects need no unique name. */
function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[-._]+|-+$/g, "")
  return name === "" ? "my-app" : name.slice(0, 214)
}

/**
 * Installs with the package manager that started this command, or with npm if there are tarballs, because others do not resolve
 * them.
 */
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
  if (status !== 0)
    throw new Error(`${manager} could not install the dependencies: check the network and run it again in ${project}`)
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
    `  npm test         ${page ? "tests the page in a real browser" : "tests what a model sees and may do"}, with a real client`,
    `  npm run dev      serves ${page ? "the page and its tools for models" : "the notes"}, and prints the URL; clients stay connected while you edit`,
    "",
    "Edit src/notes.ts to change what a model may do. README.md explains how to connect a model, and how to call an action by hand.",
  ].join("\n")
}
