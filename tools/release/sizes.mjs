// `node tools/release/sizes.mjs`: measures the size in a page of each root entry with its static imports: bundled, minified and
// compressed by gzip, without lazy imports. Also measures the demo's page with lazy imports. Needs a build.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { root } from "../launch/workspace.mjs"

// In kilobytes of 1,000 bytes, ten percent above the sizes when this was written, or when a package took on another job: the
// adapter holds tasks and their records since it hands long calls over.
const MOST = { "agentic-service": 28, "tool-schemas": 22, "mcp-adapter": 108, "webmcp-adapter": 12 }

// Everything that a page loads to create a service and connect it, including rxjs.
const PAGE = "a page's whole share"

/** All JavaScript of the demo's page, without the live view, which the host serves. */
const DEMO = 250

let held = true
for (const [name, most] of [...Object.entries(MOST), [PAGE, 40]]) {
  const chunks = await bundle(name === PAGE ? join(import.meta.dirname, "page-share.mjs") : entryOf(name))
  const minified = sum(chunks.map(({ code }) => Buffer.byteLength(code)))
  const compressed = sum(chunks.map(({ code }) => gzipSync(code).length))
  console.log(`${name}: ${toKb(minified)} kB minified, ${toKb(compressed)} kB with gzip, at most ${most}`)
  if (compressed > most * 1_000) held = false
}
const demo = join(root, "apps", "demo", "dist", "web", "assets")
const scripts = readdirSync(demo).filter((name) => name.endsWith(".js"))
const loaded = sum(scripts.map((name) => gzipSync(readFileSync(join(demo, name))).length))
console.log(`the demo's page: ${toKb(loaded)} kB with gzip, at most ${DEMO}`)
process.exitCode = held && loaded <= DEMO * 1_000 ? 0 : 1

/** Returns the file of a package's root entry. */
function entryOf(name) {
  const folder = join(root, "packages", name)
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return join(folder, exports["."].default)
}

/** Returns the entry's chunk and its static imports. */
async function bundle(entry) {
  const { output } = await build({
    configFile: false,
    logLevel: "error",
    // As for a page, but without Vite's helper for lazy imports.
    ssr: { noExternal: true, resolve: { conditions: ["browser", "import", "default"] } },
    build: {
      write: false,
      ssr: entry,
      minify: true,
      target: "es2022",
      rollupOptions: { preserveEntrySignatures: "strict", output: { format: "es" } },
    },
  })
  const byName = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]))
  const loaded = new Set([...byName.values()].filter(({ isEntry }) => isEntry))
  // Grows as it goes.
  for (const chunk of loaded) for (const name of chunk.imports) if (byName.has(name)) loaded.add(byName.get(name))
  return [...loaded]
}

function sum(numbers) {
  return numbers.reduce((all, one) => all + one, 0)
}

function toKb(bytes) {
  return (bytes / 1_000).toFixed(1)
}
