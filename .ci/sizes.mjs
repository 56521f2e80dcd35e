// `pnpm sizes`: what a page loads of each root entry, with all it imports at once: bundled, minified and compressed by gzip.
// What is imported when it is needed is not counted. And what the demo's page loads, with what is imported later. Needs a build.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"

// In kilobytes of 1,000 bytes, with a tenth of slack over what they were when this was written.
const MOST = { "agentic-service": 28, "tool-schemas": 22, "mcp-adapter": 82, "webmcp-adapter": 12 }

// A page with a service of its own that it connects to its host: everything it loads for that, rxjs included.
const PAGE = "a page's whole share"

/** All JavaScript of the demo's page; the live view beside it is the host's. */
const DEMO = 250

let held = true
for (const [name, most] of [...Object.entries(MOST), [PAGE, 40]]) {
  const entry = name === PAGE ? ["page-share.mjs"] : entryOf(name)
  const chunks = await bundle(join(import.meta.dirname, ...entry))
  const minified = sum(chunks.map(({ code }) => Buffer.byteLength(code)))
  const compressed = sum(chunks.map(({ code }) => gzipSync(code).length))
  console.log(`${name}: ${toKb(minified)} kB minified, ${toKb(compressed)} kB with gzip, at most ${most}`)
  if (compressed > most * 1_000) held = false
}
const demo = join(import.meta.dirname, "..", "apps", "demo", "dist", "web", "assets")
const scripts = readdirSync(demo).filter((name) => name.endsWith(".js"))
const loaded = sum(scripts.map((name) => gzipSync(readFileSync(join(demo, name))).length))
console.log(`the demo's page: ${toKb(loaded)} kB with gzip, at most ${DEMO}`)
process.exitCode = held && loaded <= DEMO * 1_000 ? 0 : 1

/** The file that a package is imported by. */
function entryOf(name) {
  const folder = ["..", "packages", name]
  const { exports } = JSON.parse(readFileSync(join(import.meta.dirname, ...folder, "package.json"), "utf8"))
  return [...folder, exports["."].default]
}

/** The entry's chunk, and those it imports at once. */
async function bundle(entry) {
  const { output } = await build({
    configFile: false,
    logLevel: "error",
    // As for a page, but without Vite's own helper for what is imported when it is needed.
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
