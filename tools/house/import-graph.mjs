import { importedFile, importsOfSource, lazySpecifierOf, nodesIn } from "./read-sources.mjs"

/** Maps each file to the files that it imports, in other packages too, including types and dynamic imports. */
export function importGraph(packages) {
  const entries = new Map(packages.flatMap(({ entries }) => entries.map(({ importedAs, file }) => [importedAs, file])))
  const sources = packages.flatMap(({ sources }) => sources)
  return new Map(sources.map((source) => [source.file, importsOf(source, entries)]))
}

function importsOf(source, entries) {
  const imported = importsOfSource(source).map((name) =>
    name.startsWith(".") ? importedFile(source.file, name) : entries.get(name),
  )
  return new Set(imported.filter((name) => name !== undefined))
}

/**
 * Returns the sources of a package that exactly one source imports, without entry points and lazily loaded modules, which must
 * be separate files.
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

/** Returns the import cycles: groups of files in which each file reaches every other one. */
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

/** Returns every file reachable from a file; the file itself only if it is part of a cycle. */
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
