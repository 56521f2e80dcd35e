// `node --import`: has the packages of the workspace loaded module by module, as they are written, and not from their bundles.
import { readFileSync } from "node:fs"
import { register } from "node:module"
import { pathToFileURL } from "node:url"
import { isMainThread } from "node:worker_threads"

if (isMainThread) register(import.meta.url)

const packages = new URL("../../", import.meta.url)

export function resolve(specifier, context, next) {
  const [, name, rest = ""] = /^@x\/([^/]+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return next(specifier, context)
  const { exports } = JSON.parse(readFileSync(new URL(`${name}/package.json`, packages), "utf8"))
  const module = exports[`.${rest}`]["@x/source"].replace("./src/", `${name}/dist/`).replace(/\.ts$/, ".js")
  return { url: pathToFileURL(new URL(module, packages).pathname).href, shortCircuit: true }
}
