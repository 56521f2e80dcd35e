import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { root } from "../workspace.mjs"

const BESIDE_SOURCES = /\.(test|test-d|bench|fixture)\.ts$/
const NO_SOURCES = new Set(["node_modules", "dist", "coverage"])

/** Every package below `packages`: its entry points, by export path, and its sources; tests and fixtures are none. */
export function readPackages() {
  return readdirSync(join(root, "packages"))
    .filter((name) => existsSync(join(root, "packages", name, "package.json")))
    .map(readPackage)
}

/** Everything below `packages` and `apps`, tests and what they may import. */
export function readTests() {
  const files = ["packages", "apps"].flatMap((folder) => typescriptBelow(join(root, folder)))
  return files.map(parse)
}

function readPackage(name) {
  const folder = join(root, "packages", name)
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const entries = Object.entries(manifest.exports ?? {}).map(([path, { "@x/source": source }]) => ({
    path,
    importedAs: path === "." ? manifest.name : `${manifest.name}${path.slice(1)}`,
    file: relative(root, join(folder, source)),
  }))
  const sources = typescriptBelow(join(folder, "src")).filter((file) => !BESIDE_SOURCES.test(file))
  return { name, entries, sources: sources.map(parse) }
}

function typescriptBelow(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return NO_SOURCES.has(entry.name) || entry.name[0] === "." ? [] : typescriptBelow(path)
      return entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts") ? [path] : []
    })
    .sort()
}

function parse(path) {
  const text = readFileSync(path, "utf8")
  return { file: relative(root, path), text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }
}

/** The file that a relative import names, as `file` names files. */
export function importedFile(from, specifier) {
  return join(dirname(from), specifier.replace(/\.js$/, ".ts"))
}

/** The node and everything in it, outermost first. */
export function* nodesIn(node) {
  yield node
  const children = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* nodesIn(child)
}

/** Where a node begins, as an editor finds it. */
export function placeOf({ file, tree }, node) {
  return `${file}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`
}
