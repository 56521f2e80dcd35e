// `node tools/launch/bundle.mjs [FOLDER…]`: bundles the modules of a package's exports into a few files in `dist/bundle`, by
// default in the current folder. Node takes longer to find and read a file than to run it. Entries share common chunks, so that
// every module exists once. `tsc` writes the types beside it. An entry with a `node` file is bundled for Node alone.
import { copyFileSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { rolldown } from "rolldown"

const RXJS = "@x/agentic-service/rxjs"
const RXJS_SOURCE = "../../packages/agentic-service/src/rxjs.ts"
const INLINED = ["rxjs", "tslib"]
/** Comments and blanks make up half of the code that a process reads. Names stay, for the traces of errors. */
const COMPACT = { minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } } }

/** Imports rxjs from its single bundled entry. */
const shareRxjs = {
  name: "share-rxjs",
  transform(code, id) {
    if (/[\\/]src[\\/]rxjs\.ts$/.test(id) || !code.includes('from "rxjs"')) return null
    for (const [, names] of code.matchAll(/import \{([^}]*)\} from "rxjs"/g)) names.split(",").forEach(expectHeld)
    return { code: code.replaceAll('from "rxjs"', `from "${RXJS}"`), map: null }
  },
}
const held = new Set(readFileSync(join(import.meta.dirname, RXJS_SOURCE), "utf8").match(/\w+/g))

/** @throws Error if the entry does not hold a name. Types are gone in a bundle. */
function expectHeld(imported) {
  const name = imported.trim()
  if (name === "" || name.startsWith("type ") || held.has(name.replace(/ as .*/, ""))) return
  throw new Error(`"${name}" of rxjs is not in packages/agentic-service/src/rxjs.ts: add it there`)
}

const folders = process.argv.slice(2)
for (const folder of folders.length > 0 ? folders : [process.cwd()]) await bundle(resolve(folder))

async function bundle(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const entries = Object.values(exports).map(({ "@x/source": source, node, default: file }) => [
    relative("dist/bundle", node ?? file).replace(/\.js$/, ""),
    resolve(folder, source),
  ])
  const made = await rolldown({
    input: Object.fromEntries(entries),
    platform: "neutral",
    // Imports that are not paths are packages, and stay external, except for rxjs and the helpers that it imports.
    external: (id) => !INLINED.includes(id) && !/^[./]|^[A-Za-z]:/.test(id),
    resolve: { extensionAlias: { ".js": [".ts"] }, conditionNames: ["es2015", "module"] },
    plugins: [shareRxjs],
  })
  const chunkFileNames = "shared/[name]-[hash].js"
  const dir = join(folder, "dist", "bundle")
  const { output } = await made.write({ dir, cleanDir: true, sourcemap: true, chunkFileNames, ...COMPACT })
  const files = output.flatMap(({ moduleIds = [] }) => moduleIds)
  for (const name of INLINED) keepLicense(name, files, dir)
}

/** Copies the license of a bundled package beside the bundle, as licenses demand. */
function keepLicense(name, files, dir) {
  const inside = `/node_modules/${name}/`
  const file = files.map((each) => each.replaceAll("\\", "/")).find((each) => each.includes(inside))
  if (file === undefined) return
  const home = file.slice(0, file.lastIndexOf(inside) + inside.length)
  const [license] = readdirSync(home).filter((each) => /^licen[cs]e/i.test(each))
  if (license === undefined) throw new Error(`${home} has no license file: expected one to copy beside the bundle`)
  copyFileSync(join(home, license), join(dir, `${name}.LICENSE.txt`))
}
