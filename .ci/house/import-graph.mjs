import ts from "typescript"
import { importedFile, nodesIn } from "./read-sources.mjs"

/** Who imports whom, types and dynamic imports included, across packages too: file → the files that it imports. */
export function importGraph(packages) {
  const entries = new Map(packages.flatMap(({ entries }) => entries.map(({ importedAs, file }) => [importedAs, file])))
  const sources = packages.flatMap(({ sources }) => sources)
  return new Map(sources.map((source) => [source.file, importsOf(source, entries)]))
}

function importsOf({ file, tree }, entries) {
  const specifiers = [...nodesIn(tree)].map(specifierOf).filter((specifier) => specifier !== undefined)
  const imported = specifiers.map((name) => (name.startsWith(".") ? importedFile(file, name) : entries.get(name)))
  return new Set(imported.filter((name) => name !== undefined))
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text
  if (ts.isImportTypeNode(node)) return node.argument.literal?.text
  return lazySpecifierOf(node)
}

function lazySpecifierOf(node) {
  const isLazy = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isLazy ? node.arguments[0]?.text : undefined
}

/**
 * The sources of a package that exactly one source imports; its entry points are there to be imported by others, and what is
 * loaded when it is needed has to stand alone for that.
 */
export function importedOnce({ entries, sources }, graph) {
  const open = new Set([...entries.map(({ file }) => file), ...sources.flatMap(loadedLater)])
  const inside = sources.filter(({ file }) => !open.has(file))
  const importers = (file) => [...graph.values()].filter((imports) => imports.has(file)).length
  return { inside, once: inside.filter(({ file }) => importers(file) === 1) }
}

function loadedLater({ file, tree }) {
  const specifiers = [...nodesIn(tree)].map(lazySpecifierOf).filter((name) => name?.startsWith("."))
  return specifiers.map((name) => importedFile(file, name))
}

/** Groups of files each of which leads to all of its group, itself included. */
export function circles(graph) {
  const reached = new Map([...graph.keys()].map((file) => [file, reachedFrom(file, graph)]))
  const groups = new Map()
  for (const [file, reach] of reached) {
    if (!reach.has(file)) continue
    const group = [...reach].filter((other) => reached.get(other)?.has(file)).sort()
    groups.set(group[0], group)
  }
  return [...groups.values()]
}

/** Every file that a file leads to; itself only where one of them leads back. */
function reachedFrom(file, graph) {
  const reach = new Set()
  const open = [file]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const imported of graph.get(next) ?? []) {
      if (reach.has(imported)) continue
      reach.add(imported)
      open.push(imported)
    }
  }
  return reach
}
