// Checks the layer rule: which package may import which, which folder of a package may import which, and who may import the MCP
// SDK, rxjs and Node. The tables below are the whole rule.
import { importedFile, importsOfSource } from "./read-sources.mjs"

/** The packages of this workspace that each package may import. */
const PACKAGES = {
  base: [],
  records: ["base"],
  "records-libsql": ["base", "records"],
  "tool-schemas": ["base"],
  "agentic-service": ["base", "tool-schemas"],
  "service-wire": ["base", "agentic-service"],
  "mcp-adapter": ["base", "records", "tool-schemas", "agentic-service"],
  "webmcp-adapter": ["base", "agentic-service", "mcp-adapter"],
  "chat-service": ["base", "agentic-service", "mcp-adapter"],
  "live-view": ["base", "tool-schemas", "agentic-service", "mcp-adapter"],
  testing: ["base", "agentic-service", "mcp-adapter", "live-view"],
  "mcp-upstream": ["base", "tool-schemas", "agentic-service", "mcp-adapter"],
  "page-bridge": ["base", "agentic-service", "mcp-adapter", "service-wire", "live-view"],
  "service-cli": ["base", "records-libsql", "agentic-service", "mcp-adapter", "mcp-upstream"],
  "create-agentic": [],
}

/** The folders that each folder of a package may import; a package without a row may have any order, but no circle. */
const FOLDERS = {
  "mcp-adapter": inOrder(
    ["names"],
    ["runtime"],
    ["catalogue"],
    ["views"],
    ["calls"],
    ["operations", "exposures"],
    ["handlers"],
    ["border"],
  ),
}

/**
 * Folders that are a part of the package on its own: only entries of the package import them, and of the package they import
 * only these files.
 */
const APART = {
  "mcp-adapter": {
    "sdk-v1": [
      ...["index", "border/binding", "runtime/callback", "runtime/host"],
      ...["handlers/handler", "handlers/methods", "handlers/page"],
      ...["border/server/deliver-notices", "border/server/put-requests", "border/server/to-context"],
    ],
    telemetry: ["index", "border/binding", "operations/observe"],
    "known-clients": ["calls/call-context", "exposures/exposure"],
  },
}

/** The packages and folders that may import each external package; other external packages may be imported anywhere. */
const EXTERNALS = [
  {
    named: /^@modelcontextprotocol\//,
    within: ["mcp-adapter/border", "mcp-adapter/sdk-v1", "mcp-upstream", "testing"],
  },
  { named: /^@opentelemetry\//, within: ["mcp-adapter/telemetry"] },
  { named: /^rxjs(\/|$)/, without: ["base", "records", "records-libsql", "tool-schemas", "mcp-adapter/names"] },
]

/** Packages whose root entry is for Node alone; every other root entry runs in a browser too. */
const NODE_ONLY = new Set(["records-libsql", "service-cli", "create-agentic"])

/** Returns the faults of all packages as sentences. */
export function layerFaults(packages) {
  return packages.flatMap((one) => [
    ...one.sources.flatMap((source) => importsOfSource(source).flatMap((name) => importFaults(one, source, name))),
    ...one.sources.flatMap((source) => apartFaults(one, source)),
    ...folderCircles(one),
    ...nodeFaults(one),
  ])
}

function importFaults({ name }, source, imported) {
  const { file } = source
  if (imported.startsWith("@x/")) {
    const other = imported.split("/")[1]
    const allowed = other === name || PACKAGES[name]?.includes(other)
    return allowed ? [] : [`${file} imports @x/${other}: ${name} may import ${listOf(PACKAGES[name])}`]
  }
  if (imported.startsWith(".")) {
    const [from, to] = [folderOf(file), folderOf(importedFile(file, imported))]
    const allowed = FOLDERS[name]?.[from]
    if (allowed === undefined || to === undefined || to === from || allowed.includes(to)) return []
    return [`${file} imports the folder ${to}: ${from} may import ${listOf(allowed)}`]
  }
  const at = [name, `${name}/${folderOf(file)}`]
  return EXTERNALS.filter(
    ({ named, within, without }) =>
      named.test(imported) &&
      ((within !== undefined && !at.some((place) => within.includes(place))) ||
        at.some((place) => without?.includes(place))),
  ).map(({ within, without }) =>
    within === undefined
      ? `${file} imports ${imported}: it may not be imported in ${listOf(without)}`
      : `${file} imports ${imported}: it may be imported in ${listOf(within)} only`,
  )
}

/** Finds imports of a folder that stands apart, and its imports of more of the package than it may. */
function apartFaults({ name, entries }, source) {
  const { file } = source
  const apart = APART[name] ?? {}
  const from = folderOf(file)
  return importsOfSource(source)
    .filter((imported) => imported.startsWith("."))
    .map((imported) => importedFile(file, imported))
    .filter((other) => folderOf(other) !== from)
    .flatMap((other) => {
      const to = folderOf(other)
      const seam = other.split("/src/")[1].replace(/\.ts$/, "")
      if (apart[to] !== undefined && !entries.some((entry) => entry.file === file))
        return [`${file} imports the folder ${to}: only an entry of ${name} may`]
      if (apart[from] === undefined || apart[from].includes(seam)) return []
      return [`${file} imports ${seam}: ${from} may import ${listOf(apart[from])}`]
    })
}

/** Finds folders of a package that import each other, directly or through others. */
function folderCircles({ name, sources }) {
  const edges = new Map()
  for (const [from, to] of sources.flatMap(foldersImported)) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  const reach = (folder, seen = new Set()) => {
    for (const next of edges.get(folder) ?? []) if (!seen.has(next)) reach(next, seen.add(next))
    return seen
  }
  return [...edges.keys()]
    .filter((folder) => reach(folder).has(folder))
    .map((folder) => `${name}: the folder ${folder} is in an import cycle (${[...reach(folder)].join(", ")})`)
}

/** The pairs of folders of one package between which a source imports. */
function foldersImported(source) {
  const from = folderOf(source.file)
  return importsOfSource(source)
    .filter((imported) => imported.startsWith("."))
    .map((imported) => [from, folderOf(importedFile(source.file, imported))])
    .filter((pair) => !pair.includes(undefined) && pair[0] !== pair[1])
}

/** Finds Node modules that the root entry of a neutral package loads. */
function nodeFaults({ name, sources, entries }) {
  if (NODE_ONLY.has(name)) return []
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const open = entries.filter(({ path }) => path === ".").map(({ file }) => file)
  const loaded = new Set(open)
  // Grows as it goes.
  for (const file of loaded)
    for (const each of importsAtRuntime(byFile.get(file)))
      if (each.startsWith(".")) loaded.add(importedFile(file, each))
  return [...loaded].flatMap((file) =>
    importsAtRuntime(byFile.get(file))
      .filter((imported) => imported.startsWith("node:"))
      .map((imported) => `${file} imports ${imported}: the root entry of ${name} runs in a browser too`),
  )
}

function importsAtRuntime(source) {
  return source === undefined ? [] : importsOfSource(source, { types: false })
}

/** The folder of a source below `src`; `undefined` for a file directly in it. */
function folderOf(file) {
  const [, below] = file.split("/src/")
  const [folder, ...rest] = below?.split("/") ?? []
  return rest.length === 0 ? undefined : folder
}

function inOrder(...levels) {
  const allowed = {}
  levels.forEach((folders, level) => {
    for (const folder of folders) allowed[folder] = levels.slice(0, level).flat()
  })
  return allowed
}

function listOf(names = []) {
  return names.length === 0 ? "none" : names.join(", ")
}
