// `node --import`: loads the workspace's packages from their modules instead of their bundles, and calls `globalThis.entered`
// with the file's name whenever one of their functions begins.
import { readFileSync } from "node:fs"
import { register } from "node:module"
import { sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isMainThread } from "node:worker_threads"
import ts from "typescript"

if (isMainThread) {
  globalThis.entered = () => undefined
  register(import.meta.url)
}

const packages = new URL("../../", import.meta.url)

export function resolve(specifier, context, next) {
  const [, name, rest = ""] = /^@x\/([^/]+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return next(specifier, context)
  const { exports } = JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8"))
  const module = exports[`.${rest}`]["@x/source"].replace("./src/", `${name}/dist/`).replace(/\.ts$/, ".js")
  return { url: pathToFileURL(new URL(module, packages).pathname).href, shortCircuit: true }
}

export function load(url, context, next) {
  if (!url.startsWith(packages.href) || !/\/packages\/[^/]+\/dist\//.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const [, name] = file.split(`${sep}packages${sep}`)
  const label = name.replace(`${sep}dist${sep}`, "/").replaceAll(sep, "/")
  return { format: "module", source: noteEntries(readFileSync(file, "utf8"), label), shortCircuit: true }
}

/** Inserts a call at the beginning of every function of a module. */
function noteEntries(source, label) {
  const tree = ts.createSourceFile("module.js", source, ts.ScriptTarget.Latest, true)
  const note = `entered(${JSON.stringify(label)})`
  const inserts = []
  const visit = (node) => {
    const { body } = node
    if (ts.isFunctionLike(node) && body !== undefined) {
      if (ts.isBlock(body)) inserts.push([body.getStart() + 1, `${note};`])
      else inserts.push([body.getStart(), `(${note},`], [body.getEnd(), ")"])
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  // From the end, so that earlier positions stay valid.
  return inserts
    .sort(([one], [other]) => other - one)
    .reduce((text, [at, insert]) => text.slice(0, at) + insert + text.slice(at), source)
}
