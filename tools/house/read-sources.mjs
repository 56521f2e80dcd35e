import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { root } from "../launch/workspace.mjs"

const BESIDE_SOURCES = /\.(test|test-d|bench|fixture)\.ts$/
const NO_SOURCES = new Set(["node_modules", "dist", "coverage"])

/** Reads every package below `packages`: its entry points by export path, and its sources without tests and fixtures. */
export function readPackages() {
  return readdirSync(join(root, "packages"))
    .filter((name) => existsSync(join(root, "packages", name, "package.json")))
    .map(readPackage)
}

/** Reads everything below `packages` and `apps`: tests, and files that they may import. */
export function readTests() {
  const files = ["packages", "apps"].flatMap((folder) => typescriptBelow(join(root, folder)))
  return files.map(parse)
}

/** Returns the matching files that git tracks or would add, below the given files and folders (by default all). */
export function findFiles(below, named) {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...below], {
    cwd: root,
  })
  return listed
    .toString("utf8")
    .split("\n")
    .filter((file) => named.test(file) && existsSync(join(root, file)))
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

/** Returns the file of a relative import, in the form of `file`. */
export function importedFile(from, specifier) {
  return join(dirname(from), specifier.replace(/\.js$/, ".ts"))
}

/** Yields the node and all its descendants, outermost first. */
export function* nodesIn(node) {
  yield node
  const children = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* nodesIn(child)
}

/** Returns the start of a node as `file:line`. */
export function placeOf({ file, tree }, node) {
  return `${file}:${tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1}`
}

/**
 * Returns the module names that a source imports, statically or dynamically.
 *
 * @param types - Whether imports of types alone count. Default `true`.
 */
export function importsOfSource({ tree }, { types = true } = {}) {
  return [...nodesIn(tree)].map((node) => specifierOf(node, types)).filter((name) => name !== undefined)
}

function specifierOf(node, types) {
  if (ts.isImportTypeNode(node)) return types ? node.argument.literal?.text : undefined
  if (!types && isTypeOnly(node)) return undefined
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text
  return lazySpecifierOf(node)
}

function isTypeOnly(node) {
  return ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly === true : node.isTypeOnly === true
}

/** Returns the module name in an `import(…)`. */
export function lazySpecifierOf(node) {
  const isLazy = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isLazy ? node.arguments[0]?.text : undefined
}
